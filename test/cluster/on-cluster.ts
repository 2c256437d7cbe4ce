import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workflowIdOf } from '../../workflows/messages';
import { API_PORT } from './hosts/balancer';
import type { Verdict } from '../chaos/check-history';
import { runScenario, type Outcome, type ScenarioPlan, type Setting } from '../chaos/scenario';
import { seed } from '../chaos/seed';
import type { StreamTail } from '../chaos/stack/stream-tail';
import { expect } from 'vitest';
import type { ClusterStack } from './cluster-stack';

export type Fault = (setting: Setting<ClusterStack>) => Promise<number>;

let scenarios = 0;

/** A scenario on a cluster: its callers go to the balancer. */
export const runOnCluster = async (
  stack: ClusterStack,
  tail: StreamTail,
  plan: Pick<ScenarioPlan<ClusterStack>, 'name' | 'fault'> & Partial<ScenarioPlan<ClusterStack>>,
): Promise<Outcome<ClusterStack>> => {
  const balancer = `http://${stack.balancer.host.address}:${API_PORT}`;
  scenarios += 1; // its nodes are its own
  const outcome = await runScenario(stack, tail, { seed: seed + scenarios, nextBase: () => balancer, ...plan });
  await keepHistories(stack, outcome.verdict);
  return outcome;
};

/** Temporal's histories of nodes that broke a promise, beside the logs. */
const keepHistories = async ({ cluster, folder }: ClusterStack, { breaches }: Verdict): Promise<void> => {
  for (const nodeId of [...new Set(breaches.map((breach) => breach.nodeId))].slice(0, 10)) {
    const shown = ['workflow', 'show', '--workflow-id', workflowIdOf(nodeId), '--output', 'json'];
    writeFileSync(join(folder, `history-${nodeId}.log`), await cluster.operator('a history', ...shown));
  }
};

/** What every scenario demands. */
export const expectNothingLost = (verdict: Verdict): void => {
  expect(verdict.breaches).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(100);
};
