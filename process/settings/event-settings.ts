import type { BandThresholdName } from '../../workflows/domain/threshold/band-name';
import type { Values } from './setting';
import type { sharedSettings } from './settings';

/** The settings of the event stream. They must be equal in API and workers: both publish. */
export interface EventSettings {
  readonly stream: string;
  /** Number of Redis streams that the events are spread over, by node. */
  readonly partitions: number;
  /** Approximate length of the stream, or of each partition, in entries; 0: unlimited. */
  readonly maxLength: number;
  /** The prefix of the two attributes' names. */
  readonly attributePrefix: string;
  /** The name of the limits of bands, in events and in the API's answers. */
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
