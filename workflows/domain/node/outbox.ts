import * as c from '../codecs';
import { OUTBOX_BYTES, OUTBOX_EVENTS } from '../limits';
import { ULID_LENGTH } from '../ulid';
import { EventType } from './events';

/**
 * An event that waits to be published. Its id rises from event to event of a node; `timestamp` is epoch ms. `data` is the
 * event's content as consumers read it (docs/events.md): it was made once, and is carried as it is.
 */
export const OutboxEvent = c.object('event', {
  type: EventType,
  sequenceId: c.text(ULID_LENGTH),
  timestamp: c.notNegative,
  userId: c.UserId,
  data: c.openObject(OUTBOX_BYTES),
});
export type OutboxEvent = c.TypeOf<typeof OutboxEvent>;

/** What a node has committed and not yet seen published, oldest first; `bytes` are those of all that waits, as JSON. */
export const Outbox = c.object('outbox', { waiting: c.array(OutboxEvent, OUTBOX_EVENTS), bytes: c.notNegative });
export type Outbox = c.TypeOf<typeof Outbox>;

export const emptyOutbox: Outbox = { waiting: [], bytes: 0 };

export const enqueue = ({ waiting, bytes }: Outbox, event: OutboxEvent): Outbox => ({
  waiting: [...waiting, event],
  bytes: bytes + c.jsonBytes(event),
});

export const enqueuedAfter = ({ waiting }: Outbox, sequenceId: string): ReadonlyArray<OutboxEvent> =>
  waiting.filter((event) => event.sequenceId > sequenceId);

export const dequeue = (outbox: Outbox, sequenceId: string): Outbox => {
  const left = enqueuedAfter(outbox, sequenceId);
  if (left.length === 0) return emptyOutbox;
  const dropped = outbox.waiting.filter((event) => event.sequenceId <= sequenceId);
  return { waiting: left, bytes: dropped.reduce((bytes, event) => bytes - c.jsonBytes(event), outbox.bytes) };
};

/** Whether `outbox` stays within its bounds; what one command brings to an empty one always does. */
export const hasRoom = ({ waiting, bytes }: Outbox): boolean =>
  waiting.length <= OUTBOX_EVENTS && bytes <= OUTBOX_BYTES;
