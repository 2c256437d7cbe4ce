import type { EventSettings } from '../../../process/settings';

/** Settings of the stream `events`, which keeps all entries. */
export const eventsOf = (partitions: number, replicasRequired = 0): EventSettings => ({
  stream: 'events',
  partitions,
  maxLength: 0,
  attributePrefix: 'Vendor.Hierarchy',
  bandThresholdName: 'overallAlarmThreshold',
  replicasRequired,
});
