import { isUlid } from '../ulid';
import { eventIdAfter, isFirstOfLife } from './event-id';
import { dequeue, emptyOutbox, enqueue, type OutboxEvent } from './outbox';
import type { Node } from './state';

/**
 * `node` after a publication. `newest` is the id of the node's newest event in the stream: the events up to it are published.
 *
 * The stream keeps a node's newest id even after the node was terminated. If the node is set up anew while the clock is behind,
 * its new ids are lower, and the stream does not take its events. So these events get ids above `newest`, and are published
 * again. Otherwise, a `newest` above all ids of the node is from a time that a restore of Temporal lost. Consumers know the
 * events of that time, so only the ids of later events rise above `newest`.
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

/**
 * Whether `newest` is from before the node was terminated and set up anew. While the new node's first event waits, all of its
 * events wait. So an id that no waiting event has is not from the new node.
 */
const isOfEarlierLife = ({ state: { nodeId }, outbox: { waiting } }: Node, newest: string): boolean => {
  const [oldest] = waiting;
  return (
    oldest !== undefined &&
    isFirstOfLife(nodeId, oldest) &&
    newest > oldest.sequenceId &&
    waiting.every(({ sequenceId }) => sequenceId !== newest)
  );
};
