import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FRONTEND_PORT } from './hosts/temporal-host';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack } from './cluster-stack';
import { expectNothingLost, runOnCluster } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Longer than the SDK's own keep-alive takes, 45 s. */
const SILENT_MS = 50_000;
const COSTS_AT_MOST_MS = 10_000;

test('connections to Temporal that go silent, and stay open, cost callers ten seconds at most', async () => {
  const { verdict, row } = await runOnCluster(stack(), tail(), {
    name: 'silent connections to Temporal',
    pauseMs: 600,
    fault: async ({ stack: { apis, workers, balancer } }) => {
      const all = [...apis, ...workers];
      const silenced = all.map(({ machine }) => machine.silenceConnections(balancer.host, FRONTEND_PORT));
      expect(Math.min(...(await Promise.all(silenced)))).toBeGreaterThan(0);
      await sleep(SILENT_MS);
      await Promise.all(all.map(({ machine }) => machine.restore()));
      return performance.now();
    },
  });
  expectNothingLost(verdict);
  expect(row.waits?.longest).toBeLessThan(COSTS_AT_MOST_MS);
});
