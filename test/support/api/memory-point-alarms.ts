import * as TE from 'fp-ts/TaskEither';
import type { PointAlarms } from '../../../api/ports';
import { sentOf } from '../../../api/nodes/node-queue';
import { sendGroup } from '../scenario';
import { newNode, type Node, alarmStatusView, revisedThreshold } from '../../../workflows/domain/node/state';

/** The nodes in memory: the same decider, no Temporal. What travels is JSON, as it is on the wire. */
export interface MemoryNodes {
  readonly port: PointAlarms;
  /** Everything that a node knows, as text: two equal texts are one state. */
  readonly snapshot: () => string;
  readonly forget: () => void;
}

export const createMemoryNodes = (): MemoryNodes => {
  const nodes = new Map<string, Node>();
  let now = 1_769_853_600_000;
  const nodeOf = (nodeId: string): Node => nodes.get(nodeId) ?? newNode(nodeId);
  return {
    snapshot: () => JSON.stringify([...nodes]),
    forget: () => nodes.clear(),
    port: {
      send: (nodeId, command) => () => {
        now += 1;
        const commands: unknown = JSON.parse(JSON.stringify([command]));
        const { node, answer } = sendGroup(nodeOf(nodeId), { commands }, now);
        const isChanged = answer.outcomes.some(({ _tag }) => _tag === 'Applied');
        if (isChanged) nodes.set(nodeId, node);
        return Promise.resolve(sentOf(answer.outcomes[0]));
      },
      threshold: (nodeId) => TE.fromIO(() => ({ value: revisedThreshold(nodeOf(nodeId).state) })),
      alarmStatus: (nodeId) => TE.fromIO(() => ({ value: alarmStatusView(nodeOf(nodeId).state) })),
    },
  };
};
