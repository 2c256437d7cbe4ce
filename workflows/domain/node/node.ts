import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Rejection } from '../commands/rejections';
import type { Command, NamedCommand } from '../commands/command';
import { decide } from '../commands/decide';
import type { DomainEvent } from '../commands/domain-event';
import { messagesOf } from '../events/messages-of';
import { evolve } from './evolve';
import { emptyOutbox, enqueue, hasRoom, identified, type Outbox } from './outbox';
import { untouched, type State } from './state';
import { workOf } from './work';

/** A node: what it knows, and what it has still to publish. */
export interface Node {
  readonly state: State;
  readonly outbox: Outbox;
}

export const newNode = (nodeId: string): Node => ({ state: untouched(nodeId), outbox: emptyOutbox });

/** A node after commands, which they were, what was committed to get there, and the work that it took. */
export interface Accepted {
  readonly node: Node;
  readonly commands: ReadonlyArray<NamedCommand>;
  readonly events: ReadonlyArray<DomainEvent>;
  readonly work: number;
}

/**
 * The node after `command`, its events in the outbox, or why it is refused.
 *
 * Errors: those of `decide`, and OutboxFull.
 */
export const accept = (node: Node, command: Command): E.Either<Rejection, Accepted> =>
  pipe(
    decide(node.state, command),
    E.map((events) => {
      const after = events.reduce((before, event) => commit(before, event, command.now), node);
      return { node: after, commands: [named(command)], events, work: workOf(node.state, after.state, events) };
    }),
    E.filterOrElse(
      (accepted) => accepted.node.outbox === node.outbox || hasRoom(accepted.node.outbox),
      (): Rejection => ({ _tag: 'OutboxFull', waiting: node.outbox.waiting.length }),
    ),
  );

const named = ({ name, userId, cause, now }: Command): NamedCommand => ({
  name,
  userId,
  ...(cause !== undefined && { cause }),
  now,
});

const commit = ({ state, outbox }: Node, event: DomainEvent, now: number): Node => {
  const evolved = evolve(state, event);
  return messagesOf(evolved, event).reduce(
    (node, message) => {
      const numbered = identified(node.state, message, now);
      return { state: { ...node.state, sequenceId: numbered.sequenceId }, outbox: enqueue(node.outbox, numbered) };
    },
    { state: evolved, outbox },
  );
};
