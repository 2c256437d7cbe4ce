import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { jsonBytes, sizeOf, type Reason, type Size } from '../codecs';
import { COMMAND_VALUES, OBJECT_MEMBERS, PATCHED_BYTES, RELAYED_BYTES, RELAYED_EVENTS } from '../limits';
import {
  commandNames,
  decodeCommand,
  invalidCommand,
  isCommandName,
  type Considered,
  type Refusal,
  type Rejection,
} from './commands';
import { decide } from './decide';
import { evolve, type DomainEvent } from './evolve';
import { decodeGroup, refused, type Group } from './sent-group';
import { dequeue, hasRoom, type OutboxEvent } from './outbox';
import type { KnownGroup, SentBy } from './repeats';
import { revisedThreshold, type Node, type RevisedThreshold } from './state';
import { GROUP_WORK, ratingWork, readingWork, refusalWork } from './work-estimate';

/** A node after commands, which they were, what was committed to get there, and the work that it took. */
export interface Accepted {
  readonly node: Node;
  readonly commands: ReadonlyArray<Considered>;
  readonly events: ReadonlyArray<DomainEvent>;
  readonly work: number;
}

export interface AppliedGroup extends Accepted {
  /** The work of the last command where it was decided and postponed all the same. */
  readonly postponedWork: number;
  readonly answer: GroupReceipt;
}

/** The answer to a group: an outcome for each command that was taken, in order. */
export interface GroupReceipt {
  readonly outcomes: ReadonlyArray<Outcome>;
  /** Why the commands behind those were not taken, and may come again. */
  readonly postponed?: Postponed;
  /** Whether the group, or part of it, was carried out before: its events may no longer be unconfirmed. */
  readonly isRepeat?: true;
  /** The events that the caller publishes: all that are unconfirmed, oldest first. */
  readonly unconfirmed?: ReadonlyArray<OutboxEvent>;
}

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

export type Postponed = Extract<Refusal, { readonly _tag: 'OutboxFull' }> | { readonly _tag: 'GroupFull' };

export const applyGroup = (node: Node, payload: unknown, now: number): E.Either<Refusal, AppliedGroup> =>
  E.chain((group: Group) => take(node, group, now))(decodeGroup(payload));

/** Takes the command `name` of `payload` as a group of one, or says why it was refused. Without events there was nothing to do. */
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

/** The same for a signal, whose refusal took work, too; `refusalIn` has it. */
export const applySignal = (node: Node, name: unknown, payload: unknown, now: number): AppliedGroup =>
  pipe(
    E.tryCatch(() => carryOut(node, [[name, payload]], now, [], false), defectOf),
    E.getOrElse((refusal) => refusedSignal(node, refusal)),
  );

/** What comes of a signal that is not decided, by default because too many wait. */
export const refusedSignal = (node: Node, refusal: Refusal = outboxFull(node)): AppliedGroup => ({
  ...{ node, commands: [], events: [], work: 0, postponedWork: 0 },
  answer: { outcomes: [{ _tag: 'Refused', refusal }] },
});

/** Why a group of one command was refused. */
export const refusalIn = ({ answer: { outcomes, postponed } }: AppliedGroup): Refusal | undefined => {
  const [outcome] = outcomes;
  if (outcome?._tag === 'Refused') return outcome.refusal;
  return postponed?._tag === 'OutboxFull' ? postponed : undefined;
};

/**
 * The last group of a process is all that a node has to know of it: that one is answered as before, an earlier one is refused
 * (docs/contributing/how-it-works.md, "Repeats"). A node with too many unconfirmed events hands none over, and so publishes them ("Relay").
 */
const take = (node: Node, group: Group, now: number): E.Either<Refusal, AppliedGroup> => {
  const { commands, sentBy, mayHaveReached = false, isRelayed = false, published } = group;
  return pipe(
    knownGroup(node, sentBy),
    E.map((known) => {
      const confirmed = confirm(node, published);
      const isLate = known !== undefined && !mayHaveReached;
      const { answer, ...carriedOut } = carryOut(confirmed, commands, now, known?.revisions ?? [], isLate);
      const isToRemember = carriedOut.events.length > 0 || (mayHaveReached && known === undefined);
      const taken = isToRemember ? eventsOfGroup(node, group, answer.outcomes) : [];
      const after = taken.reduce(evolve, carriedOut.node);
      return {
        ...carriedOut,
        node: after,
        events: [...carriedOut.events, ...taken],
        answer: {
          ...answer,
          ...(known !== undefined && { isRepeat: true as const }),
          ...(isRelayed && isShort(confirmed) && { unconfirmed: after.outbox.waiting }),
        },
      };
    }),
  );
};

/** What is known of the very group; nothing of one that is later than all. */
const knownGroup = ({ state }: Node, sentBy: SentBy | undefined): E.Either<Refusal, KnownGroup | undefined> => {
  const last = state.groups.find(({ sender }) => sender === sentBy?.sender);
  if (last === undefined || sentBy === undefined || sentBy.sequence > last.sequence) return E.right(undefined);
  return sentBy.sequence === last.sequence
    ? E.right(last)
    : refused('sentBy.sequence', 'must not be before the last group of the sender');
};

/** What a group leaves besides its commands: a repeat of it is known, and whether the node keeps the search attribute. */
const eventsOfGroup = (
  { state }: Node,
  { sentBy, keepsStatusAttribute: isKept = state.keepsStatusAttribute }: Group,
  outcomes: ReadonlyArray<Outcome>,
): ReadonlyArray<DomainEvent> => {
  const revisions = outcomes.map((outcome) => (outcome._tag === 'Refused' ? null : outcome.revision));
  return [
    ...(sentBy === undefined ? [] : [{ _tag: 'GroupTaken', group: { ...sentBy, revisions } } as const]),
    ...(isKept === state.keepsStatusAttribute ? [] : [{ _tag: 'StatusAttributeKept', isKept } as const]),
  ];
};

/** An id that no event has which waits confirms nothing: it may be of an earlier life of the node. */
const confirm = (node: Node, published: unknown): Node =>
  typeof published === 'string' && node.outbox.waiting.some(({ sequenceId }) => sequenceId === published)
    ? { ...node, outbox: dequeue(node.outbox, published) }
    : node;

const isShort = ({ outbox: { waiting, bytes } }: Node): boolean =>
  waiting.length < RELAYED_EVENTS && bytes < RELAYED_BYTES;

/**
 * Carries out `commands` in order, while outbox and answer have room and the group may take more work. Of a repeat, `known` is
 * answered again, and only the rest decided; of one that `isLate` nothing more is carried out: its sender went by another try.
 */
const carryOut = (
  node: Node,
  commands: Group['commands'],
  now: number,
  known: KnownGroup['revisions'],
  isLate: boolean,
): AppliedGroup => {
  const outcomes: Outcome[] = [];
  const events: DomainEvent[] = [];
  const carriedOut: Considered[] = [];
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
    // What came before it in a repeat was answered, and what comes after it may have been: it is answered, too.
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

const outcomeOf = (accepted: E.Either<Rejection, Accepted>, shown: RevisedThreshold | undefined): Outcome => {
  const patched = shown === undefined ? {} : { patched: shown };
  if (E.isRight(accepted)) return { _tag: 'Applied', revision: accepted.right.node.state.revision, ...patched };
  return accepted.left._tag === 'Unchanged'
    ? { _tag: 'Unchanged', revision: accepted.left.revision, ...patched }
    : { _tag: 'Refused', refusal: accepted.left };
};

/** The refusal of a command that has more values, or more members in an object, than any valid one. */
const tooMuch = ({ values, members }: Size): E.Either<Rejection, never> | undefined => {
  const refused = (reason: string) => E.left(invalidCommand([{ name: '', reason }]));
  if (members > OBJECT_MEMBERS) return refused(`must have at most ${OBJECT_MEMBERS} members in an object`);
  return values > COMMAND_VALUES ? refused(`must have at most ${COMMAND_VALUES} values`) : undefined;
};

/** A command that throws, by a defect of ours, spoils itself alone: it is refused, and those beside it go on. */
const guarded = (decided: () => E.Either<Rejection, Accepted>): E.Either<Rejection, Accepted> =>
  pipe(
    E.tryCatch(decided, (defect): Rejection => defectOf(defect)),
    E.flattenW,
  );

const defectOf = (defect: unknown): Refusal => ({ _tag: 'Defect', reason: String(defect) });

/** The node after the command `name` of `payload`, its events in the outbox, or why it is refused. */
const decideOn = (node: Node, name: unknown, payload: unknown, now: number): E.Either<Rejection, Accepted> =>
  isCommandName(name)
    ? pipe(
        decodeCommand(node.state.nodeId, name, payload, now),
        E.chainW((command) => accept(node, command)),
      )
    : E.left(invalidCommand([unknownName]));

const unknownName: Reason = { name: 'name', reason: `must be one of ${commandNames.join(', ')}` };

/** Its events may be more than the outbox has room for. */
const accept = (node: Node, command: Considered): E.Either<Rejection, Accepted> =>
  pipe(
    decide(node.state, command),
    E.map((events) => {
      const after = events.reduce(evolve, node);
      return { node: after, commands: [command], events, work: ratingWork(node.state, after.state, events) };
    }),
  );

/** Nothing changed, and the command may come again. */
const outboxFull = ({ outbox }: Node): Refusal => ({ _tag: 'OutboxFull', waiting: outbox.waiting.length });
