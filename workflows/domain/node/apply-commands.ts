import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { isRecord, jsonBytes, type Reason } from '../codecs';
import { PATCHED_BYTES } from '../limits';
import { invalidCommand, type Refusal, type Rejection } from '../commands/rejections';
import { commandNames, decodeCommand, isCommandName } from '../commands';
import type { NamedCommand } from '../commands/command';
import type { DomainEvent } from '../commands/domain-event';
import type { KnownGroup } from './idempotency';
import { accept, type Accepted, type Node } from './node';
import { revisedThreshold, type RevisedThreshold } from './views';
import { COMMAND_WORK, GROUP_WORK } from './work';

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

export type Postponed = Extract<Refusal, { readonly _tag: 'OutboxFull' }> | { readonly _tag: 'GroupFull' };

/** What a group made of a node. */
export interface AppliedCommands extends Accepted {
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
  const carriedOut: NamedCommand[] = [];
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
