import { isUlid } from '../ulid';
import { eventIdAfter, isFirstOfLife } from './event-id';
import { dequeue, emptyOutbox, enqueue, type OutboxEvent } from './outbox';
import type { Node } from './state';

/**
 * `node` after a publication, by the id of the newest event that the stream has of it. What waited up to that one is in the stream.
 *
 * The stream keeps the newest id of a node that was terminated. If the node is set up anew under an earlier clock, its ids are
 * below that one, and the stream does not take its events. So they get ids above it, and are published again. Other ids that this
 * life never gave are of a future that a restore lost: its events are known to consumers, and only the next ids rise above.
 */
export const afterPublication = (node: Node, newest: string): Node => {
  const { state, outbox } = node;
  const isAbove = newest > state.sequenceId && isUlid(newest);
  if (!isUlid(newest) || !isOfEarlierLife(node, newest))
    return { state: isAbove ? { ...state, sequenceId: newest } : state, outbox: dequeue(outbox, newest) };
  return outbox.waiting.reduce<Node>(
    (renamed, event) => {
      const sequenceId = eventIdAfter(state.nodeId, renamed.state.sequenceId, event.timestamp);
      const again: OutboxEvent = { ...event, sequenceId, data: { ...event.data, sequenceId } };
      return { state: { ...state, sequenceId }, outbox: enqueue(renamed.outbox, again) };
    },
    { state: { ...state, sequenceId: newest }, outbox: emptyOutbox },
  );
};

/** As long as the first event of its life waits, all events of a node wait: the stream had none of them, or its newest is one of them. */
const isOfEarlierLife = ({ state: { nodeId }, outbox: { waiting } }: Node, newest: string): boolean => {
  const [oldest] = waiting;
  return (
    oldest !== undefined &&
    isFirstOfLife(nodeId, oldest) &&
    newest > oldest.sequenceId &&
    waiting.every(({ sequenceId }) => sequenceId !== newest)
  );
};
