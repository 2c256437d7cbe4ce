import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, isRecord, type Reason } from '../codecs';
import { GROUP_COMMANDS, RELAYED_BYTES, RELAYED_EVENTS } from '../limits';
import { invalidCommand, type Refusal } from '../commands/rejections';
import { applyCommands, type AppliedCommands, type GroupAnswer } from './apply-commands';
import { evolve } from './evolve';
import { SentBy, type KnownGroup } from './idempotency';
import type { Accepted, Node } from './node';
import { dequeue, type OutboxEvent } from './outbox';

/** The answer to a group whose events the caller publishes: it holds all that is unconfirmed, oldest first. */
export interface GroupReceipt extends GroupAnswer {
  /** Whether the group, or part of it, was carried out before: its events may no longer be unconfirmed. */
  readonly isRepeat?: true;
  readonly unconfirmed?: ReadonlyArray<OutboxEvent>;
}

/** What a group made of a node. */
export interface AppliedGroup extends Accepted {
  readonly answer: GroupReceipt;
}

/**
 * Takes the group `payload`, `{commands, sentBy?: {sender, sequence}, mayHaveReached?, relay?: 'api', published?}`.
 *
 * A process sends a group again, as a whole, where it does not know what became of it, and goes on to the next one only then.
 * So its last group is all that a node has to know of it: that one is answered as before, an earlier one is refused.
 *
 * `mayHaveReached` tells that a try before this one may still be on its way. The group is then remembered even where it
 * changed nothing: its sender goes by this answer, so the earlier try, which comes without the mark, must do nothing.
 *
 * A caller that publishes by itself gets the events with the answer, and names by `published` the last event of this node
 * that it saw in the stream: that one and all before it are no longer kept. A node that has too many unconfirmed ones
 * publishes by itself, and so hands nothing over (docs/reliability.md, "Relay").
 */
export const applyGroup = (node: Node, payload: unknown, now: number): E.Either<Refusal, AppliedGroup> => {
  const { commands: entries, sentBy: sender, mayHaveReached, relay, published } = isRecord(payload) ? payload : {};
  return pipe(
    E.Do,
    E.bind('commands', () => commandsOf(entries)),
    E.bind('sentBy', () => sentByOf(sender)),
    E.bind('known', ({ sentBy }) => knownGroup(node, sentBy)),
    E.mapLeft((reason) => invalidCommand([reason])),
    E.map(({ commands, sentBy, known }) => {
      const confirmed = confirm(node, published);
      const isTriedAgain = mayHaveReached === true;
      const applied = applyCommands(confirmed, commands, now, known?.revisions, known !== undefined && !isTriedAgain);
      const isToRemember = applied.events.length > 0 || (isTriedAgain && known === undefined);
      const taken = sentBy !== undefined && isToRemember ? remembered(applied, sentBy) : applied;
      const answer = {
        ...taken.answer,
        ...(known !== undefined && { isRepeat: true as const }),
        ...(relay === 'api' && isShort(confirmed) && { unconfirmed: taken.node.outbox.waiting }),
      };
      return { ...taken, answer };
    }),
  );
};

/** The commands of a group, undecoded: each is decoded on its own, so that one fault does not spoil the others. */
const commandsOf = (commands: unknown): E.Either<Reason, ReadonlyArray<unknown>> =>
  Array.isArray(commands) && commands.length <= GROUP_COMMANDS
    ? E.right(commands)
    : E.left({ name: 'commands', reason: `must be an array of at most ${GROUP_COMMANDS} commands` });

const sentByOf = (sentBy: unknown): E.Either<Reason, SentBy | undefined> =>
  sentBy === undefined
    ? E.right(undefined)
    : pipe(
        decode(SentBy, sentBy),
        E.mapLeft(() => ({ name: 'sentBy', reason: 'must have a sender and a sequence' })),
      );

/** What is known of the very group; nothing of one that is later than all. */
const knownGroup = ({ state }: Node, sentBy: SentBy | undefined): E.Either<Reason, KnownGroup | undefined> => {
  const last = state.groups.find(({ sender }) => sender === sentBy?.sender);
  if (last === undefined || sentBy === undefined || sentBy.sequence > last.sequence) return E.right(undefined);
  return sentBy.sequence === last.sequence
    ? E.right(last)
    : E.left({ name: 'sentBy.sequence', reason: 'must not be before the last group of the sender' });
};

const remembered = (applied: AppliedCommands, sentBy: SentBy): AppliedCommands => {
  const revisions = applied.answer.outcomes.map((outcome) => (outcome._tag === 'Refused' ? null : outcome.revision));
  const taken = { _tag: 'GroupTaken', group: { ...sentBy, revisions } } as const;
  return {
    ...applied,
    node: { ...applied.node, state: evolve(applied.node.state, taken) },
    events: [...applied.events, taken],
  };
};

const confirm = (node: Node, published: unknown): Node =>
  isGivenBy(node, published) ? { ...node, outbox: dequeue(node.outbox, published) } : node;

/** An id that this node never gave confirms nothing. */
const isGivenBy = ({ state }: Node, id: unknown): id is string =>
  typeof id === 'string' && id !== '' && id <= state.sequenceId;

const isShort = ({ outbox: { waiting, bytes } }: Node): boolean =>
  waiting.length < RELAYED_EVENTS && bytes < RELAYED_BYTES;
