import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Rejection } from '../rejections';
import type { Entropy } from '../ulid';
import type { Command } from './command';
import { decide } from './decide';
import { evolve } from './evolve';
import { emptyOutbox, enqueue, hasRoom, identified, messagesOf, type Outbox } from './outbox';
import { untouched, type State } from './state';

/** A node: what it knows, and what it has still to publish. */
export interface Node {
  readonly state: State;
  readonly outbox: Outbox;
}

export const newNode = (nodeId: string): Node => ({ state: untouched(nodeId), outbox: emptyOutbox });

/**
 * The node after `command`, its events in the outbox, or why it is refused.
 *
 * `draw` gives the random part of an event's id; it is called once for each event that is published.
 * Errors: those of `decide`, and OutboxFull.
 */
export const accept = (node: Node, command: Command, draw: () => Entropy): E.Either<Rejection, Node> =>
  pipe(
    decide(node.state, command),
    E.map((events) =>
      events.reduce(({ state, outbox }, event) => {
        const evolved = evolve(state, event);
        return messagesOf(evolved, event).reduce<Node>(
          (grown, message) => {
            const numbered = identified(grown.state, message, command.now, draw());
            return {
              state: { ...grown.state, sequenceId: numbered.sequenceId },
              outbox: enqueue(grown.outbox, numbered),
            };
          },
          { state: evolved, outbox },
        );
      }, node),
    ),
    E.filterOrElse(
      ({ outbox }) => outbox === node.outbox || hasRoom(outbox),
      (): Rejection => ({ _tag: 'OutboxFull', waiting: node.outbox.waiting.length }),
    ),
  );
