import type { AlarmStatusView } from '../../../workflows/domain/alarm/alarm-status';
import type { RevisedThreshold, Snapshot } from '../../../workflows/domain/node/views';
import type { StreamEvent } from '../../../workflows/domain/events/event';

/** What GETs of a node answer, and the event that each is as of. */
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
 * `cached` after `event`, which is passed over where it is not newer; nothing where `event` does not follow from what is
 * cached, so that the node has to be asked. Every event holds all of what it is about, so a status may be taken before an
 * earlier threshold is.
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
 * The revision is the event's own. One that is not the next belongs to another life of the node, which was terminated and
 * begun anew: then nothing that is cached of it holds, its parts neither.
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
