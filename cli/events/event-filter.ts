import type { StreamEvent } from '../../workflows/domain/events/event';
import type { Status } from '../../workflows/domain/alarm/status';

/** Which events are wanted. Filters on the status exclude events of thresholds, which have none. */
export interface EventFilter {
  /** Any of these nodes; none means all. */
  readonly nodes: ReadonlyArray<string>;
  readonly minStatus?: Status;
  /** Only where some alarm changed. */
  readonly changed: boolean;
}

export const isWanted = ({ nodes, minStatus, changed }: EventFilter, event: StreamEvent): boolean => {
  if (nodes.length > 0 && !nodes.includes(event.aggregateId)) return false;
  if (event.type === 'SetPointAlarmThresholdEvent') return minStatus === undefined && !changed;
  return event.alarmStatus >= (minStatus ?? 0) && (event.alarmsChanged || !changed);
};
