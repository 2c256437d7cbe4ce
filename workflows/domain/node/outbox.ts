import * as c from '../codecs';
import { OUTBOX_BYTES, OUTBOX_EVENTS } from '../limits';
import { ULID_LENGTH } from '../ulid';
import { EventType } from './events';

/**
 * An event that waits to be published. Ids rise within a node; `timestamp` is epoch ms. `data` is the content as consumers read
 * it (docs/events.md): made once, and handed unchanged from run to run.
 */
export const OutboxEvent = c.object('event', {
  type: EventType,
  sequenceId: c.text(ULID_LENGTH),
  timestamp: c.notNegative,
  userId: c.UserId,
  data: c.openObject(OUTBOX_BYTES),
});
export type OutboxEvent = c.TypeOf<typeof OutboxEvent>;

/** Events that a node committed and does not know to be in the stream, oldest first; `bytes` is their size as JSON. */
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

/** Whether `outbox` is within its bounds. The events of any single command fit into an empty outbox. */
export const hasRoom = ({ waiting, bytes }: Outbox): boolean =>
  waiting.length <= OUTBOX_EVENTS && bytes <= OUTBOX_BYTES;
