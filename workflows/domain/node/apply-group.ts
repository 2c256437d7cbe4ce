import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { jsonBytes, sizeOf, type Reason, type Size } from '../codecs';
import { COMMAND_VALUES, OBJECT_MEMBERS, PATCHED_BYTES, RELAYED_BYTES, RELAYED_EVENTS } from '../limits';
import {
  commandNames,
  decodeCommand,
  invalidCommand,
  isCommandName,
  type TimedCommand,
  type Refusal,
  type NotApplied,
} from './commands';
import { decide } from './decide';
import { evolve, type DomainEvent } from './evolve';
import { decodeGroup, refusedMember, type CommandGroup } from './sent-group';
import { dequeue, hasRoom, type OutboxEvent } from './outbox';
import { knownGroup, type KnownGroup, type SentBy } from './repeats';
import { revisedThreshold, type Node, type RevisedThreshold } from './state';
import { GROUP_WORK, ratingWork, readingWork, refusalWork } from './work-estimate';

/** A node after commands, with these commands, the events that they committed, and their estimated work (microseconds). */
export interface Accepted {
  readonly node: Node;
  readonly commands: ReadonlyArray<TimedCommand>;
  readonly events: ReadonlyArray<DomainEvent>;
  readonly work: number;
}

export interface AppliedGroup extends Accepted {
  /** Work (microseconds) of a command that will be decided again, because its events or answer did not fit; else 0. */
  readonly postponedWork: number;
  readonly answer: GroupReceipt;
}

/** The answer to a group: the outcome of each command that was decided, in order. */
export interface GroupReceipt {
  readonly outcomes: ReadonlyArray<CommandOutcome>;
  /** Why the remaining commands were not decided. The sender may send them again. */
  readonly postponed?: Postponed;
  /** Set if the group was carried out before, at least in part. `unconfirmed` may then lack events of the group. */
  readonly isRepeat?: true;
  /** The events that the sender has to publish: all that the node does not know to be in the stream, oldest first. */
  readonly unconfirmed?: ReadonlyArray<OutboxEvent>;
}

export type CommandOutcome =
  | (Done & { readonly _tag: 'Applied' })
  | (Done & { readonly _tag: 'Unchanged' })
  | { readonly _tag: 'Refused'; readonly refusal: Refusal };

interface Done {
  /** The revision of the threshold after the command. For a repeat it is the revision after the first try. */
  readonly revision: number;
  /**
   * The threshold after a patch; for a repeat under an idempotency key the present one. Absent if an earlier try of the group
   * already answered the command.
   */
  readonly patched?: RevisedThreshold;
}

export type Postponed = Extract<Refusal, { readonly _tag: 'OutboxFull' }> | { readonly _tag: 'GroupFull' };

export const applyGroup = (node: Node, payload: unknown, now: number): E.Either<Refusal, AppliedGroup> =>
  E.chain((group: CommandGroup) => applyDecodedGroup(node, group, now))(decodeGroup(payload));

/** Applies one command like a group of one, or returns why it was refused. Empty `events` mean that it changed nothing. */
export const applyCommand = (
  node: Node,
  name: unknown,
  payload: unknown,
  now: number,
): E.Either<Refusal, AppliedGroup> => {
  const applied = applySignal(node, name, payload, now);
  const refusal = refusalIn(applied);
  return refusal === undefined ? E.right(applied) : E.left(refusal);
};

/** Applies the command of a signal. If it is refused, the result has its work, and `refusalIn` returns the refusal. */
export const applySignal = (node: Node, name: unknown, payload: unknown, now: number): AppliedGroup =>
  pipe(
    E.tryCatch(() => applyInOrder(node, [[name, payload]], now, [], false), defectOf),
    E.getOrElse((refusal) => refusedSignal(node, refusal)),
  );

/** The result of a signal that is refused without a decision, by default because too many signals wait. */
export const refusedSignal = (node: Node, refusal: Refusal = outboxFull(node)): AppliedGroup => ({
  node,
  commands: [],
  events: [],
  work: 0,
  postponedWork: 0,
  answer: { outcomes: [{ _tag: 'Refused', refusal }] },
});

/** Why the command of a group of one was refused; undefined if it was not. */
export const refusalIn = ({ answer: { outcomes, postponed } }: AppliedGroup): Refusal | undefined => {
  const [outcome] = outcomes;
  if (outcome?._tag === 'Refused') return outcome.refusal;
  return postponed?._tag === 'OutboxFull' ? postponed : undefined;
};

/**
 * Applies a group. The node remembers the last group of each API process: it answers a repeat of that group as before, and
 * refuses earlier groups (docs/contributing/how-it-works.md, "Repeats"). If too many events are not known to be in the stream,
 * the node publishes them itself (same document, "Relay").
 */
const applyDecodedGroup = (node: Node, group: CommandGroup, now: number): E.Either<Refusal, AppliedGroup> => {
  const { commands, sentBy, mayHaveReached = false, isRelayed = false, published } = group;
  return pipe(
    repeatOf(node, sentBy),
    E.map((known) => {
      const withoutPublished = dropPublished(node, published);
      const isLate = known !== undefined && !mayHaveReached;
      const { answer, ...carriedOut } = applyInOrder(withoutPublished, commands, now, known?.revisions ?? [], isLate);
      const isToRemember = carriedOut.events.length > 0 || (mayHaveReached && known === undefined);
      const groupEvents = isToRemember ? eventsOfGroup(node, group, answer.outcomes) : [];
      const after = groupEvents.reduce(evolve, carriedOut.node);
      return {
        ...carriedOut,
        node: after,
        events: [...carriedOut.events, ...groupEvents],
        answer: {
          ...answer,
          ...(known !== undefined && { isRepeat: true as const }),
          ...(isRelayed && isShort(withoutPublished) && { unconfirmed: after.outbox.waiting }),
        },
      };
    }),
  );
};

/** What the node remembers of exactly this group; undefined if it is new. A group before its sender's last one is refused. */
const repeatOf = ({ state }: Node, sentBy: SentBy | undefined): E.Either<Refusal, KnownGroup | undefined> => {
  const known = knownGroup(state.groups, sentBy);
  return known === 'older'
    ? refusedMember('sentBy.sequence', 'must not be before the last group of the sender')
    : E.right(known);
};

/** An event by which the node recognises a repeat of the group, and one if the group turns the search attribute on or off. */
const eventsOfGroup = (
  { state }: Node,
  { sentBy, keepsStatusAttribute: isKept = state.keepsStatusAttribute }: CommandGroup,
  outcomes: ReadonlyArray<CommandOutcome>,
): ReadonlyArray<DomainEvent> => {
  const revisions = outcomes.map((outcome) => (outcome._tag === 'Refused' ? null : outcome.revision));
  return [
    ...(sentBy === undefined ? [] : [{ _tag: 'GroupTaken', group: { ...sentBy, revisions } } as const]),
    ...(isKept === state.keepsStatusAttribute ? [] : [{ _tag: 'StatusAttributeKept', isKept } as const]),
  ];
};

/** Drops waiting events up to the id `published`. An id of no waiting event drops none: the node may have been set up anew. */
const dropPublished = (node: Node, published: unknown): Node =>
  typeof published === 'string' && node.outbox.waiting.some(({ sequenceId }) => sequenceId === published)
    ? { ...node, outbox: dequeue(node.outbox, published) }
    : node;

const isShort = ({ outbox: { waiting, bytes } }: Node): boolean =>
  waiting.length < RELAYED_EVENTS && bytes < RELAYED_BYTES;

/**
 * Carries out `commands` in order, until the outbox, the answer or the work of the group is full. If the group is a repeat, a
 * command with a revision in `known` was answered before and gets that revision again; the others are decided now. `isLate`
 * is true for an earlier try that arrived after a later one. It must change nothing, because the sender goes by the answer to
 * the later try.
 */
const applyInOrder = (
  node: Node,
  commands: CommandGroup['commands'],
  now: number,
  known: KnownGroup['revisions'],
  isLate: boolean,
): AppliedGroup => {
  const outcomes: CommandOutcome[] = [];
  const events: DomainEvent[] = [];
  const carriedOut: TimedCommand[] = [];
  let current = node;
  let patchedBytes = 0;
  let work = 0;
  const answer = (postponed?: Postponed, postponedWork = 0) => ({
    node: current,
    commands: carriedOut,
    events,
    work,
    postponedWork,
    answer: { outcomes, ...(postponed !== undefined && { postponed }) },
  });
  for (const [index, [name, payload]] of commands.entries()) {
    const revision = known[index] ?? undefined;
    if (revision !== undefined) {
      outcomes.push({ _tag: 'Applied', revision });
      continue;
    }
    // A command that an earlier try answered must get an answer now: the caller may already hold answers to later commands.
    const mayWait = index >= known.length;
    if (mayWait && work >= GROUP_WORK) return answer({ _tag: 'GroupFull' });
    const size = sizeOf(payload, COMMAND_VALUES, OBJECT_MEMBERS);
    const decided = tooMuch(size) ?? guarded(() => decideOn(current, name, payload, now));
    const accepted = E.filterOrElseW(
      ({ node: { outbox } }: Accepted) => !isLate && (outbox === current.outbox || hasRoom(outbox)),
      () => outboxFull(current),
    )(decided);
    const after = E.isRight(accepted) ? accepted.right : { node: current, commands: [], events: [] };
    const outcome = outcomeOf(accepted, name === 'patchThreshold' ? revisedThreshold(after.node.state) : undefined);
    const bytes = 'patched' in outcome ? jsonBytes(outcome.patched) : 0;
    const decidedWork = E.isRight(decided) ? decided.right.work : refusalWork(decided.left);
    const ownWork = readingWork(current.state, name, payload, size) + decidedWork;
    if (mayWait) {
      if (E.isLeft(accepted) && accepted.left._tag === 'OutboxFull') return answer(accepted.left, ownWork);
      if (patchedBytes > 0 && patchedBytes + bytes > PATCHED_BYTES) return answer({ _tag: 'GroupFull' }, ownWork);
    }
    patchedBytes += bytes;
    work += ownWork;
    outcomes.push(outcome);
    events.push(...after.events);
    carriedOut.push(...after.commands);
    current = after.node;
  }
  return answer();
};

const outcomeOf = (accepted: E.Either<NotApplied, Accepted>, shown: RevisedThreshold | undefined): CommandOutcome => {
  const patched = shown === undefined ? {} : { patched: shown };
  if (E.isRight(accepted)) return { _tag: 'Applied', revision: accepted.right.node.state.revision, ...patched };
  return accepted.left._tag === 'Unchanged'
    ? { _tag: 'Unchanged', revision: accepted.left.revision, ...patched }
    : { _tag: 'Refused', refusal: accepted.left };
};

/** The refusal of a command that has more values, or more members in an object, than any valid one. */
const tooMuch = ({ values, members }: Size): E.Either<NotApplied, never> | undefined => {
  const refused = (reason: string) => E.left(invalidCommand([{ name: '', reason }]));
  if (members > OBJECT_MEMBERS) return refused(`must have at most ${OBJECT_MEMBERS} members in an object`);
  return values > COMMAND_VALUES ? refused(`must have at most ${COMMAND_VALUES} values`) : undefined;
};

/** Refuses a command that throws by a defect of ours, so that the other commands of its group go on. */
const guarded = (decided: () => E.Either<NotApplied, Accepted>): E.Either<NotApplied, Accepted> =>
  pipe(
    E.tryCatch(decided, (defect): NotApplied => defectOf(defect)),
    E.flattenW,
  );

const defectOf = (defect: unknown): Refusal => ({ _tag: 'Defect', reason: String(defect) });

/** Decides the command `name` with `payload`. Returns the node with its events in the outbox, or why it is refused. */
const decideOn = (node: Node, name: unknown, payload: unknown, now: number): E.Either<NotApplied, Accepted> =>
  isCommandName(name)
    ? pipe(
        decodeCommand(node.state.nodeId, name, payload, now),
        E.chainW((command) => accept(node, command)),
      )
    : E.left(invalidCommand([unknownName]));

const unknownName: Reason = { name: 'name', reason: `must be one of ${commandNames.join(', ')}` };

/** Applies a decoded command. Its events may be too many for the outbox: `applyInOrder` checks that. */
const accept = (node: Node, command: TimedCommand): E.Either<NotApplied, Accepted> =>
  pipe(
    decide(node.state, command),
    E.map((events) => {
      const after = events.reduce(evolve, node);
      return { node: after, commands: [command], events, work: ratingWork(node.state, after.state, events) };
    }),
  );

/** The refusal for want of room in the outbox. The command changed nothing and may be sent again. */
const outboxFull = ({ outbox }: Node): Refusal => ({ _tag: 'OutboxFull', waiting: outbox.waiting.length });
