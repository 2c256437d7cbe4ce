/** What nodes count by their worker's meter, whose exporter adds `_total` to the name: the sandbox knows no registry of metrics. */
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

/** Labels that the worker's meter gives to each of them besides. */
export const meterLabels = ['namespace', 'taskQueue', 'workflowType'] as const;
