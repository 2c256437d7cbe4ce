import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { applyCommand, applyGroup, type Accepted, type AppliedGroup } from '../../workflows/domain/node/apply-group';
import { unchanged, type CommandName, type NotApplied } from '../../workflows/domain/node/commands';
import { newNode, type Node } from '../../workflows/domain/node/state';
import { rightOf } from './either';

/** The node of the scenarios, the user who sends their commands, and ids for their measurements and callers. */
export const nodeId = '8f2d1c3a-5b6e-4f70-9a81-b2c3d4e5f607';
export const userId = '0e5a7c9b-1d2f-4a3b-8c4d-5e6f7a8b9c0d';
export const anId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The time of a scenario's first command (epoch ms); each further one comes a second later. */
export const START = Date.UTC(2026, 0, 31, 10);

/** A command as it is sent to a node: its name and its payload. */
export type Sent = readonly [CommandName, Readonly<Record<string, unknown>>];
export type Members = Readonly<Record<string, unknown>>;

/** What `node` does with a command that comes at `now`. Left: why not, also where there is nothing to do. */
export const send = (node: Node, [name, payload]: Sent, now: number): E.Either<NotApplied, Accepted> =>
  pipe(
    applyCommand(node, name, payload, now),
    E.chainW((applied): E.Either<NotApplied, Accepted> => {
      const [outcome] = applied.answer.outcomes;
      return outcome?._tag === 'Unchanged' ? E.left(unchanged(outcome.revision)) : E.right(applied);
    }),
  );

/** What `node` does with `payload` as an update `applyCommands`, which it must not refuse as a whole. */
export const sendGroup = (node: Node, payload: unknown, now: number = START): AppliedGroup =>
  rightOf(applyGroup(node, payload, now));

/** The node after `commands`. One that is refused is a fault of the scenario. */
export const nodeAfter = (commands: ReadonlyArray<Sent>, node: Node = newNode(nodeId)): Node =>
  commands.reduce((before, command, index) => accepted(send(before, command, START + index * 1_000)).node, node);

/** What came of a command that must not be refused. */
export const accepted = (answer: E.Either<NotApplied, Accepted>): Accepted => rightOf(answer);

/** Types and contents of the events that wait in `node`, oldest first. */
export const waiting = ({ outbox }: Node): ReadonlyArray<readonly [string, Members]> =>
  outbox.waiting.map(({ type, data }) => [type, data]);
