/** What an operator reads beside each handler in the Temporal UI. */
export const descriptions = {
  setThreshold: 'Sets the threshold: {"threshold": {...}, "userId": "..."}; optional ifMatch (a revision), requestId.',
  patchThreshold:
    'Patches the threshold: {"operations": [RFC 6902 operations], "userId": "..."}; optional ifMatch, requestId.',
  recordMeasurement: 'Rates a measurement: {"measurement": {...}, "userId": "..."}; optional requestId.',
  recalculate: 'Rates the latest measurements again: {"userId": "..."}; optional requestId.',
  setExternalAlarm: 'Sets the external alarm: {"status": 0..4, "userId": "..."}; optional setBy (UUID), requestId.',
  applyCommands:
    'Several commands in order: {"commands": [{"name": "recalculate", "userId": "..."}, ...]}, each answered on its own. Any command may carry cause: {"requestId": "...", "traceparent": "..."}, for logs and events.',
  publishNow: 'Has the node publish by itself all events that wait.',
  threshold: 'The threshold as the API shows it, with its revision.',
  alarmStatus: 'The alarm status as the API shows it.',
  snapshot: 'Threshold and alarm status together, and the last event of which they know.',
  pendingEvents: 'Events that are committed and not yet known to be in the stream, oldest first.',
} as const;
