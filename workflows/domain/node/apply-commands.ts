import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { isRecord, type Reason } from '../codecs';
import { GROUP_COMMANDS } from '../limits';
import { invalidCommand, type Refusal, type Rejection } from '../rejections';
import type { Entropy } from '../ulid';
import { commandNames, type Command } from './command';
import { decodeCommand, isCommandName } from './decode-command';
import { accept, type Accepted, type Node } from './node';
import type { DomainEvent } from './domain-event';
import { revisedThreshold, type RevisedThreshold } from './views';

/** What became of one command of a group. */
export type Outcome =
  | { readonly _tag: 'Applied'; readonly revision: number }
  | { readonly _tag: 'Unchanged'; readonly revision: number }
  | { readonly _tag: 'Refused'; readonly refusal: Refusal };

/** The answer to a group: an outcome for each command, in order, and the threshold after all of them when one patched it. */
export interface GroupAnswer {
  readonly outcomes: ReadonlyArray<Outcome>;
  readonly patched?: RevisedThreshold;
}

/** The commands of a group, undecoded: each is decoded on its own, so that one fault does not spoil the others. */
export const groupOf = (payload: unknown): E.Either<Refusal, ReadonlyArray<unknown>> => {
  const commands: unknown = isRecord(payload) ? payload['commands'] : undefined;
  return Array.isArray(commands) && commands.length <= GROUP_COMMANDS
    ? E.right(commands)
    : E.left(invalidCommand([{ name: 'commands', reason: `must be an array of at most ${GROUP_COMMANDS} commands` }]));
};

/** Takes `commands` in order, each on the node that the ones before it left, and answers each on its own. */
export const applyCommands = (
  node: Node,
  commands: ReadonlyArray<unknown>,
  now: number,
  draw: () => Entropy,
): Accepted & { readonly answer: GroupAnswer } => {
  let current = node;
  const events: DomainEvent[] = [];
  const carriedOut: Command[] = [];
  const outcomes = commands.map((entry): Outcome => {
    const [name, payload] = namedPayload(entry);
    const accepted = applyCommand(current, name, payload, now, draw);
    const outcome = outcomeOf(current, accepted);
    if (E.isRight(accepted)) {
      current = accepted.right.node;
      events.push(...accepted.right.events);
      carriedOut.push(...accepted.right.commands);
    }
    return outcome;
  });
  const patches = commands.some(
    (entry, index) => namedPayload(entry)[0] === 'patchThreshold' && outcomes[index]?._tag !== 'Refused',
  );
  return {
    node: current,
    commands: carriedOut,
    events,
    answer: patches ? { outcomes, patched: revisedThreshold(current.state) } : { outcomes },
  };
};

/** The node after the command `name` of `payload`, or why it is refused. */
export const applyCommand = (
  node: Node,
  name: unknown,
  payload: unknown,
  now: number,
  draw: () => Entropy,
): E.Either<Rejection, Accepted> =>
  isCommandName(name)
    ? pipe(
        decodeCommand(node.state.nodeId, name, payload, now),
        E.chainW((command) => accept(node, command, draw)),
      )
    : E.left(invalidCommand([unknownName]));

const unknownName: Reason = { name: 'name', reason: `must be one of ${commandNames.join(', ')}` };

const namedPayload = (entry: unknown): readonly [unknown, unknown] => {
  if (!isRecord(entry)) return [undefined, undefined];
  const { name, ...payload } = entry;
  return [name, payload];
};

const outcomeOf = (before: Node, accepted: E.Either<Rejection, Accepted>): Outcome => {
  if (E.isRight(accepted)) return { _tag: 'Applied', revision: accepted.right.node.state.revision };
  return accepted.left._tag === 'Unchanged'
    ? { _tag: 'Unchanged', revision: before.state.revision }
    : { _tag: 'Refused', refusal: accepted.left };
};
