/** What a worker's thread does with an update of a node and with queries of it, without the SDK around. */
import { applyGroup } from '../../workflows/domain/node/apply-group';
import { describeNode } from '../../workflows/domain/node/current-details';
import {
  alarmStatusView,
  continueAsNewArgument,
  decodeArgument,
  newNode,
  snapshotView,
} from '../../workflows/domain/node/state';

const NODE = '8f2d1c3a-5b6e-4f70-9a81-b2c3d4e5f607';

export const createNode = () => {
  let node = newNode(NODE);
  let now = Date.UTC(2026, 0, 31, 10);
  return {
    /** Takes a command, and returns the answer as JSON, with the estimated work (microseconds). */
    take: (command: unknown): string => {
      now += 1_000;
      const group = { commands: [command], relay: 'api', published: node.state.sequenceId };
      const applied = applyGroup(node, group, now);
      if (applied._tag === 'Left') return JSON.stringify({ refused: applied.left });
      node = applied.right.node;
      return JSON.stringify({ work: applied.right.work, answer: applied.right.answer });
    },
    /** What queries answer. */
    look: (): number =>
      JSON.stringify([describeNode(node), alarmStatusView(node.state), snapshotView(node.state)]).length,
    /** What the end of a run and the beginning of the next one take. */
    carryOn: (): void => {
      const next = decodeArgument(NODE, JSON.parse(JSON.stringify(continueAsNewArgument(node))));
      if (next._tag === 'Right') node = next.right;
      else throw new Error(`a node cannot be carried on: ${JSON.stringify(next.left)}`);
    },
  };
};
