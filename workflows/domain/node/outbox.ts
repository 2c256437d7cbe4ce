import { array, jsonBytes, notNegative, object, openObject, text, type TypeOf } from '../codecs';
import { EventType, type PointAlarmStatusEvent, type SetPointAlarmThresholdEvent } from '../events/event';
import { fractionOf } from '../digest';
import { OUTBOX_BYTES, OUTBOX_EVENTS } from '../limits';
import { nextUlid, ULID_LENGTH } from '../ulid';
import { UserId } from '../codecs';
import type { State } from './state';
import { partsView } from '../alarm/alarm-status';
import { worstOf } from '../alarm/parts';
import type { Attribution, DomainEvent } from './evolve';
import { thresholdView } from '../threshold/threshold';

/**
 * An event that waits to be published. Its id rises from event to event of a node; `timestamp` is epoch ms. `data` is the
 * event's content as consumers read it (docs/events.md): it was made once, and is carried as it is.
 */
export const OutboxEvent = object(
  'event',
  {
    type: EventType,
    sequenceId: text(ULID_LENGTH),
    timestamp: notNegative,
    userId: UserId,
    data: openObject(OUTBOX_BYTES),
  },
  {},
);
export type OutboxEvent = TypeOf<typeof OutboxEvent>;

/** What a node has committed and not yet seen published, oldest first; `bytes` are those of all that waits, as JSON. */
export const Outbox = object('outbox', { waiting: array(OutboxEvent, OUTBOX_EVENTS), bytes: notNegative }, {});
export type Outbox = TypeOf<typeof Outbox>;

export const emptyOutbox: Outbox = { waiting: [], bytes: 0 };

/**
 * `message` of the node of `state`, with the id after the last one given. Node and last id decide its random part, so that
 * a decision that is made twice gives the same id.
 */
export const identified = (state: State, message: Message, now: number): OutboxEvent => {
  const { nodeId, sequenceId: previous } = state;
  const sequenceId = nextUlid(previous, now, [
    fractionOf(`${nodeId}/${previous}`),
    fractionOf(`${previous}/${nodeId}`),
  ]);
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

/** An event to be published, before it has its id. */
interface Message {
  readonly type: EventType;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly userId: string;
  /** The event's content, but for what its envelope repeats. */
  readonly data: Content<typeof PointAlarmStatusEvent> | Content<typeof SetPointAlarmThresholdEvent>;
}

type Content<C extends typeof PointAlarmStatusEvent | typeof SetPointAlarmThresholdEvent> = Omit<
  TypeOf<C>,
  'aggregateId' | 'userId' | 'sequenceId'
>;

type Of<Tag extends DomainEvent['_tag']> = Extract<DomainEvent, { readonly _tag: Tag }>;

/** What is published of `event`, in order, of which `state` is what came out; nothing for the node's own events. */
export const messagesOf = (state: State, event: DomainEvent): ReadonlyArray<Message> => {
  switch (event._tag) {
    case 'ThresholdSet':
      return [message('SetPointAlarmThresholdEvent', event, thresholdContent(state, event))];
    case 'StatusUpdated':
      return [message('PointAlarmStatusEvent', event, statusContent(state, event))];
    case 'Republished':
      return republished(state, event);
    case 'MeasurementRecorded':
    case 'RatedAnew':
    case 'WriteKeyed':
    case 'GroupTaken':
      return [];
  }
};

/** The threshold, where one was set, and the status as they are, with the times at which they became so. */
const republished = (state: State, event: Of<'Republished'>): ReadonlyArray<Message> => {
  const { threshold, parts, setAt = state.updatedAt, updatedAt } = state;
  const ofThreshold = { ...event, threshold, updatedAt: setAt };
  const ofStatus = { ...event, parts, alarmsChanged: false, updatedAt };
  return [
    ...(state.revision > 0
      ? [message('SetPointAlarmThresholdEvent', event, thresholdContent(state, ofThreshold))]
      : []),
    message('PointAlarmStatusEvent', event, statusContent(state, ofStatus)),
  ];
};

const message = (type: EventType, { userId, updatedAt }: Attribution, data: Message['data']): Message => ({
  type,
  timestamp: updatedAt,
  userId,
  data,
});

type ThresholdFacts = Pick<Of<'ThresholdSet'>, 'threshold' | 'origin' | 'requestId' | 'updatedAt'>;

const thresholdContent = (
  { nodeId, revision }: State,
  { threshold, origin, requestId, updatedAt }: ThresholdFacts,
): Content<typeof SetPointAlarmThresholdEvent> => {
  const { thresholdType } = threshold;
  return {
    ...(requestId !== undefined && { requestId }),
    updatedAt,
    revision,
    ...(thresholdType !== undefined && { thresholdType }),
    threshold: thresholdView(nodeId, threshold),
    ...(origin !== undefined && { origin }),
  };
};

type StatusFacts = Pick<Of<'StatusUpdated'>, 'parts' | 'alarmsChanged' | 'requestId' | 'updatedAt'>;

const statusContent = (
  { threshold }: State,
  { parts, alarmsChanged, requestId, updatedAt }: StatusFacts,
): Content<typeof PointAlarmStatusEvent> => ({
  ...(requestId !== undefined && { requestId }),
  updatedAt,
  alarmStatus: worstOf(parts),
  alarmsChanged,
  ...partsView(threshold, parts),
});
