/** All that a worker registers: every function exported here becomes a workflow type. */
export { pointAlarm } from './point-alarm.workflow';
