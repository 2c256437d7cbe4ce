import { jsonBytes } from '../codecs';
import { OUTBOX_BYTES, OUTBOX_EVENTS } from '../limits';
import { worstOf } from '../alarm/parts';
import { thresholdView } from '../threshold/view';
import { nextUlid, type Entropy } from '../ulid';
import type { DomainEvent } from '../commands/domain-event';
import type { State } from './state';
import { partsView } from './views';

export type EventType = 'PointAlarmStatusEvent' | 'SetPointAlarmThresholdEvent';

/** A message before it has its id. `data` is the event's content as consumers read it (docs/events.md). */
export interface Message {
  readonly type: EventType;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly userId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message that waits to be published. Its id rises from event to event of a node. */
export interface OutboxEvent extends Message {
  readonly sequenceId: string;
}

/** What a node has committed and not yet seen published, oldest first. */
export interface Outbox {
  readonly waiting: ReadonlyArray<OutboxEvent>;
  /** The bytes of all that waits, as JSON. */
  readonly bytes: number;
}

export const emptyOutbox: Outbox = { waiting: [], bytes: 0 };

/** What is published of `event`, of which `state` is what came out; nothing for the node's own events. */
export const messageOf = (state: State, event: DomainEvent): Message | undefined => {
  switch (event._tag) {
    case 'ThresholdSet': {
      const { threshold, origin, userId, requestId, updatedAt } = event;
      const { thresholdType } = threshold;
      const data = {
        ...(requestId !== undefined && { requestId }),
        updatedAt,
        revision: state.revision,
        ...(thresholdType !== undefined && { thresholdType }),
        threshold: thresholdView(state.nodeId, threshold),
        ...(origin !== undefined && { origin }),
      };
      return { type: 'SetPointAlarmThresholdEvent', timestamp: updatedAt, userId, data };
    }
    case 'StatusUpdated': {
      const { parts, alarmsChanged, userId, requestId, updatedAt } = event;
      const data = {
        ...(requestId !== undefined && { requestId }),
        updatedAt,
        alarmStatus: worstOf(parts),
        alarmsChanged,
        ...partsView(state.threshold, parts),
      };
      return { type: 'PointAlarmStatusEvent', timestamp: updatedAt, userId, data };
    }
    case 'MeasurementRecorded':
    case 'RatedAnew':
    case 'WriteKeyed':
    case 'GroupTaken':
      return undefined;
  }
};

/** `message` of the node of `state`, with the id after the last one given. */
export const identified = (state: State, message: Message, now: number, entropy: Entropy): OutboxEvent => {
  const sequenceId = nextUlid(state.sequenceId, now, entropy);
  const data = { aggregateId: state.nodeId, userId: message.userId, sequenceId, ...message.data };
  return { ...message, sequenceId, data };
};

/** `outbox` with `event` behind all that waits. */
export const enqueue = ({ waiting, bytes }: Outbox, event: OutboxEvent): Outbox => ({
  waiting: [...waiting, event],
  bytes: bytes + jsonBytes(event),
});

/** What waits in `outbox` and was enqueued after the event `sequenceId`. */
export const enqueuedAfter = ({ waiting }: Outbox, sequenceId: string): ReadonlyArray<OutboxEvent> =>
  waiting.filter((event) => event.sequenceId > sequenceId);

/** `outbox` without what is published up to `sequenceId`. */
export const dequeue = (outbox: Outbox, sequenceId: string): Outbox => {
  const left = enqueuedAfter(outbox, sequenceId);
  return { waiting: left, bytes: left.reduce((bytes, event) => bytes + jsonBytes(event), 0) };
};

/** Whether `outbox` stays within its bounds; what one command brings to an empty one always does. */
export const hasRoom = ({ waiting, bytes }: Outbox): boolean =>
  waiting.length <= OUTBOX_EVENTS && bytes <= OUTBOX_BYTES;
