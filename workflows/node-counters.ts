/** Counters of nodes. The worker's SDK keeps them, as the sandbox has no metrics registry. The exporter adds `_total`. */
export const nodeCounters = {
  refusedSignals: {
    name: 'point_alarm_refused_signals',
    unit: 'signal',
    labels: ['command', 'rejection'],
    help: 'Signals that a node refused, by command and rejection; Unreadable where one could not be decrypted or decoded, Unknown where no command has its name, Defect where one met a fault.',
  },
  unitMismatches: {
    name: 'point_alarm_unit_mismatches',
    unit: 'measurement',
    labels: [],
    help: 'Measurements rated in another unit than the threshold names.',
  },
  clocksAhead: {
    name: 'point_alarm_clocks_ahead',
    unit: 'measurement',
    labels: [],
    help: 'Measurements dated more than a minute after their arrival; they count as taken when they arrived.',
  },
  committedEvents: {
    name: 'point_alarm_events_committed',
    unit: 'event',
    labels: ['type'],
    help: 'Events that nodes committed and have to publish, by type.',
  },
} as const;

/** Labels that the worker's meter adds to each of these counters. */
export const meterLabels = ['namespace', 'taskQueue', 'workflowType'] as const;
