import type { BandThresholdName } from '../../workflows/domain/threshold/band-name';
import type { Values } from './setting';
import type { sharedSettings } from './settings';

/** Where events go. API and workers must be set alike: both publish. */
export interface EventSettings {
  readonly stream: string;
  /** How many Redis streams the events are spread over, by node. */
  readonly partitions: number;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  /** The prefix of the two attributes' names. */
  readonly attributePrefix: string;
  /** The name that the limits of bands go by, in events and in what the API shows. */
  readonly bandThresholdName: BandThresholdName;
  /** How many replicas must have an event before it counts as published. */
  readonly replicasRequired: number;
}

export const eventSettings = (values: Values<typeof sharedSettings>): EventSettings => ({
  stream: values.EVENT_STREAM,
  partitions: values.EVENT_STREAM_PARTITIONS,
  maxLength: values.EVENT_STREAM_MAXLEN,
  attributePrefix: values.EVENT_ATTRIBUTE_PREFIX,
  bandThresholdName: values.BAND_THRESHOLD_NAME,
  replicasRequired: values.REDIS_REPLICAS_REQUIRED,
});
