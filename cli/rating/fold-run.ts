import * as E from 'fp-ts/Either';
import { isCommandName } from '../../workflows/domain/commands';
import { applyCommand } from '../../workflows/domain/node/apply-commands';
import { applyGroup } from '../../workflows/domain/node/apply-group';
import { decodeArgument } from '../../workflows/domain/node/carried';
import { newNode, type Node } from '../../workflows/domain/node/node';
import { emptyOutbox } from '../../workflows/domain/node/outbox';
import type { State } from '../../workflows/domain/node/state';

/** What a run took: its argument (`begin`), or an update or a signal by its name. `at` is epoch ms. */
export interface RunStep {
  readonly name: string;
  readonly at: number;
  readonly argument: unknown;
}

/**
 * The state of a node after the steps of its run, by the domain's own rules. What is not a command of the node, and what it
 * refused, changes nothing. Publishing is left out: no command waits for room.
 */
export const foldRun = (nodeId: string, steps: ReadonlyArray<RunStep>): State =>
  steps.reduce((node, step) => ({ ...after(nodeId, node, step), outbox: emptyOutbox }), newNode(nodeId)).state;

const after = (nodeId: string, node: Node, { name, at, argument }: RunStep): Node => {
  if (name === 'begin') {
    const begun = decodeArgument(nodeId, argument);
    return E.isRight(begun) ? begun.right.node : node;
  }
  if (name === 'applyCommands') {
    const applied = applyGroup(node, argument, at);
    return E.isRight(applied) ? applied.right.node : node;
  }
  if (!isCommandName(name)) return node;
  const applied = applyCommand(node, name, argument, at);
  return E.isRight(applied) ? applied.right.node : node;
};
