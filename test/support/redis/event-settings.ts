import type { StreamSettings } from '../../../stream/append';

/** Settings of a stream that keeps all entries. */
export const eventSettings = (own: Partial<StreamSettings> = {}): StreamSettings => ({
  stream: 'events',

  maxLength: 0,
  attributePrefix: 'Vendor.Hierarchy',
  bandThresholdName: 'overallAlarmThreshold',
  replicasRequired: 0,
  ...own,
});
