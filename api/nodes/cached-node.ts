import type { AlarmStatusView } from '../../workflows/domain/alarm/alarm-status';
import type { RevisedThreshold, Snapshot } from '../../workflows/domain/node/state';
import type { StreamEvent } from '../../workflows/domain/node/events';

/** The answers of a node's GETs, and the event that each includes. */
export interface CachedNode {
  readonly threshold: RevisedThreshold;
  readonly thresholdAsOf: string;
  readonly alarmStatus: AlarmStatusView;
  readonly alarmStatusAsOf: string;
}

export const cachedNodeOf = ({ threshold, alarmStatus, sequenceId }: Snapshot): CachedNode => ({
  threshold,
  thresholdAsOf: sequenceId,
  alarmStatus,
  alarmStatusAsOf: sequenceId,
});

/**
 * `cached` after `event`, which is ignored where it is not newer; undefined where `event` does not follow from the cached
 * state, so that the node has to be read. Every event holds its whole subject, so a status may be applied before an earlier
 * threshold.
 */
export const takeEvent = (cached: CachedNode, event: StreamEvent): CachedNode | undefined =>
  event.type === 'PointAlarmStatusEvent' ? takeStatus(cached, event) : takeThreshold(cached, event);

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

const takeStatus = (cached: CachedNode, event: Of<'PointAlarmStatusEvent'>): CachedNode => {
  if (event.sequenceId <= cached.alarmStatusAsOf) return cached;
  const {
    type: _type,
    aggregateId: nodeId,
    userId: _user,
    sequenceId,
    requestId: _request,
    updatedAt,
    alarmStatus: status,
    alarmsChanged: _changed,
    ...parts
  } = event;
  return { ...cached, alarmStatus: { nodeId, updatedAt, status, ...parts }, alarmStatusAsOf: sequenceId };
};

/**
 * The revision is the event's own. Any but the next one shows that the node was terminated and started anew: then
 * nothing cached of it is valid, its parts neither.
 */
const takeThreshold = (cached: CachedNode, event: Of<'SetPointAlarmThresholdEvent'>): CachedNode | undefined => {
  const { sequenceId, updatedAt, revision, threshold } = event;
  const touched =
    sequenceId <= cached.alarmStatusAsOf
      ? cached
      : { ...cached, alarmStatus: { ...cached.alarmStatus, updatedAt }, alarmStatusAsOf: sequenceId };
  if (sequenceId <= cached.thresholdAsOf) return touched;
  if (revision !== cached.threshold.revision + 1) return undefined;
  return { ...touched, threshold: { revision, threshold }, thresholdAsOf: sequenceId };
};
