import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, isRecord, type Reason, jsonBytes } from '../codecs';
import { GROUP_COMMANDS, RELAYED_BYTES, RELAYED_EVENTS, PATCHED_BYTES } from '../limits';
import { invalidCommand, type Refusal, type Rejection } from '../commands/rejections';
import { evolve, type DomainEvent } from './evolve';
import { SentBy, type KnownGroup } from './idempotency';
import { type Accepted, type Node, accept, COMMAND_WORK, GROUP_WORK } from './node';
import { dequeue, type OutboxEvent } from './outbox';
import { commandNames, decodeCommand, isCommandName, type Considered } from '../commands/commands';
import { revisedThreshold, type RevisedThreshold } from './views';

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

/** What became of one command of a group. */
export type Outcome =
  | (Done & { readonly _tag: 'Applied' })
  | (Done & { readonly _tag: 'Unchanged' })
  | { readonly _tag: 'Refused'; readonly refusal: Refusal };

interface Done {
  /** The revision of the threshold that the command left; of a repeat, the one that the first left. */
  readonly revision: number;
  /** The threshold as a patch left it; of a patch under a key that is known, as it is now; absent where the group is a repeat. */
  readonly patched?: RevisedThreshold;
}

/** The answer to a group: an outcome for each command that was taken, in order. */
export interface GroupAnswer {
  readonly outcomes: ReadonlyArray<Outcome>;
  /** Why the commands behind those were not taken, and may come again. */
  readonly postponed?: Postponed;
}

type Postponed = Extract<Refusal, { readonly _tag: 'OutboxFull' }> | { readonly _tag: 'GroupFull' };

/** What a group made of a node. */
interface AppliedCommands extends Accepted {
  readonly answer: GroupAnswer;
}

/**
 * Takes `commands` in order, each on the node that the ones before it left, and answers each on its own. It ends before one
 * for which the outbox or the answer has no room, and once they took as much work as a group may.
 *
 * `known` is what is known of the group where it is a repeat: what was carried out is answered again, and only the rest
 * decided. Of one that `isLate` nothing is carried out any more: its sender went by another try.
 */
export const applyCommands = (
  node: Node,
  commands: ReadonlyArray<unknown>,
  now: number,
  known: KnownGroup['revisions'] = [],
  isLate = false,
): AppliedCommands => {
  const outcomes: Outcome[] = [];
  const events: DomainEvent[] = [];
  const carriedOut: Considered[] = [];
  let current = node;
  let patchedBytes = 0;
  let work = 0;
  const answer = (postponed?: Postponed): AppliedCommands => ({
    node: current,
    commands: carriedOut,
    events,
    work,
    answer: { outcomes, ...(postponed !== undefined && { postponed }) },
  });
  for (const [index, entry] of commands.entries()) {
    const revision = known[index] ?? undefined;
    if (revision !== undefined) {
      outcomes.push({ _tag: 'Applied', revision });
      continue;
    }
    // What came before it in a repeat was answered, and what comes after it may have been: it is answered, too.
    const mayWait = index >= known.length;
    if (mayWait && work >= GROUP_WORK) return answer({ _tag: 'GroupFull' });
    const [name, payload] = namedPayload(entry);
    const decided = applyCommand(current, name, payload, now);
    const accepted = isLate ? E.chain(() => notTaken(current))(decided) : decided;
    const after = E.isRight(accepted) ? accepted.right.node : current;
    const outcome = outcomeOf(accepted, name === 'patchThreshold' ? revisedThreshold(after.state) : undefined);
    const bytes = 'patched' in outcome ? jsonBytes(outcome.patched) : 0;
    if (mayWait) {
      if (E.isLeft(accepted) && accepted.left._tag === 'OutboxFull') return answer(accepted.left);
      if (patchedBytes > 0 && patchedBytes + bytes > PATCHED_BYTES) return answer({ _tag: 'GroupFull' });
    }
    patchedBytes += bytes;
    work += E.isRight(accepted) ? accepted.right.work : COMMAND_WORK;
    outcomes.push(outcome);
    current = after;
    if (E.isRight(accepted)) {
      events.push(...accepted.right.events);
      carriedOut.push(...accepted.right.commands);
    }
  }
  return answer();
};

/** The node after the command `name` of `payload`, or why it is refused. */
export const applyCommand = (
  node: Node,
  name: unknown,
  payload: unknown,
  now: number,
): E.Either<Rejection, Accepted> =>
  isCommandName(name)
    ? pipe(
        decodeCommand(node.state.nodeId, name, payload, now),
        E.chainW((command) => accept(node, command)),
      )
    : E.left(invalidCommand([unknownName]));

/** Nothing changed, and the command may come again. */
const notTaken = ({ outbox }: Node): E.Either<Rejection, Accepted> =>
  E.left({ _tag: 'OutboxFull', waiting: outbox.waiting.length });

const unknownName: Reason = { name: 'name', reason: `must be one of ${commandNames.join(', ')}` };

const namedPayload = (entry: unknown): readonly [unknown, unknown] => {
  if (!isRecord(entry)) return [undefined, undefined];
  const { name, ...payload } = entry;
  return [name, payload];
};

const outcomeOf = (accepted: E.Either<Rejection, Accepted>, shown: RevisedThreshold | undefined): Outcome => {
  const patched = shown === undefined ? {} : { patched: shown };
  if (E.isRight(accepted)) return { _tag: 'Applied', revision: accepted.right.node.state.revision, ...patched };
  return accepted.left._tag === 'Unchanged'
    ? { _tag: 'Unchanged', revision: accepted.left.revision, ...patched }
    : { _tag: 'Refused', refusal: accepted.left };
};
