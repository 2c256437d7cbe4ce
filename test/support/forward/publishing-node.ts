import { pause } from '../../../process/backoff';
import type { Publisher } from '../../../stream/append';
import { emptyOutbox, type OutboxEvent } from '../../../workflows/domain/node/outbox';
import { newNode } from '../../../workflows/domain/node/state';
import { accepted, send, type Sent } from '../scenario';

/** A node of the domain that publishes what its commands come to, until the stream takes it; and all of its events. */
export const publishingNode = (publisher: Publisher, nodeId: string) => {
  let node = newNode(nodeId);
  const events: OutboxEvent[] = [];
  const isTaken = (waiting: ReadonlyArray<OutboxEvent>): Promise<boolean> =>
    publisher.append({ nodeId, events: waiting }).then(
      () => true,
      () => false,
    );
  return {
    events,
    take: async (command: Sent, at = Date.now()): Promise<void> => {
      const after = accepted(send(node, command, at)).node;
      node = { ...after, outbox: emptyOutbox };
      while (!(await isTaken(after.outbox.waiting))) await pause(50);
      events.push(...after.outbox.waiting);
    },
  };
};
