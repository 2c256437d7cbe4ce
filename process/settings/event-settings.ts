import type { Values } from './setting';
import type { sharedSettings } from './settings';

/** Where events go. API and workers must be set alike: both publish. */
export interface EventSettings {
  readonly stream: string;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  /** The prefix of the two attributes' names. */
  readonly attributePrefix: string;
}

export const eventSettings = (values: Values<typeof sharedSettings>): EventSettings => ({
  stream: values.EVENT_STREAM,
  maxLength: values.EVENT_STREAM_MAXLEN,
  attributePrefix: values.EVENT_ATTRIBUTE_PREFIX,
});
