import type { EventSettings } from '../../../process/settings';

/** Settings of a stream that keeps all entries. */
export const eventSettings = (own: Partial<EventSettings> = {}): EventSettings => ({
  stream: 'events',
  partitions: 1,
  maxLength: 0,
  attributePrefix: 'Vendor.Hierarchy',
  bandThresholdName: 'overallAlarmThreshold',
  replicasRequired: 0,
  ...own,
});
