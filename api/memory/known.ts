import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import type { AlarmStatusView, RevisedThreshold, Snapshot } from '../../workflows/domain/node/views';

/** What GETs of a node answer, and the event that each is as of. */
export interface Known {
  readonly threshold: RevisedThreshold;
  readonly thresholdAsOf: string;
  readonly alarmStatus: AlarmStatusView;
  readonly alarmStatusAsOf: string;
}

export const knownOf = ({ threshold, alarmStatus, sequenceId }: Snapshot): Known => ({
  threshold,
  thresholdAsOf: sequenceId,
  alarmStatus,
  alarmStatusAsOf: sequenceId,
});

/**
 * `known` after `event`, which is passed over where it is not newer. Every event holds all of what it is about, so a status
 * may be taken before an earlier threshold is.
 */
export const takeEvent = (known: Known, event: OutboxEvent): Known =>
  event.type === 'PointAlarmStatusEvent' ? takeStatus(known, event) : takeThreshold(known, event);

const takeStatus = (known: Known, { sequenceId, data }: OutboxEvent): Known => {
  if (sequenceId <= known.alarmStatusAsOf) return known;
  const {
    aggregateId: nodeId,
    userId: _user,
    sequenceId: _id,
    requestId: _request,
    updatedAt,
    alarmStatus,
    alarmsChanged: _,
    ...parts
  } = data;
  return {
    ...known,
    alarmStatus: { nodeId, updatedAt, status: alarmStatus, ...parts } as unknown as AlarmStatusView,
    alarmStatusAsOf: sequenceId,
  };
};

/** A threshold as its event tells it: GET does not show who set it. */
type ThresholdEventView = RevisedThreshold['threshold'] & { readonly setBy: string; readonly setAt: number };

const takeThreshold = (known: Known, { sequenceId, data, timestamp }: OutboxEvent): Known => {
  const touched =
    sequenceId <= known.alarmStatusAsOf
      ? known
      : { ...known, alarmStatus: { ...known.alarmStatus, updatedAt: timestamp }, alarmStatusAsOf: sequenceId };
  if (sequenceId <= known.thresholdAsOf) return touched;
  const { setBy: _, setAt: __, ...threshold } = data['threshold'] as ThresholdEventView;
  return {
    ...touched,
    threshold: { revision: known.threshold.revision + 1, threshold },
    thresholdAsOf: sequenceId,
  };
};
