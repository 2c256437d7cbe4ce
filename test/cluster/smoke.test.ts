import { expect, test } from 'vitest';
import { withStackOf } from '../chaos/with-stack';
import { runScenario } from '../chaos/scenario';
import { seed } from '../chaos/seed';
import { startClusterStack } from './cluster-stack';

const { stack, tail } = withStackOf(() => startClusterStack());

test('a cluster that nobody hurts takes every write', async () => {
  const { verdict } = await runScenario(stack(), tail(), {
    name: 'nothing',
    seed,
    fault: () => Promise.resolve(performance.now()),
  });
  expect(verdict.breaches).toEqual([]);
  expect(verdict.unknown).toBe(0);
  expect(verdict.acknowledged).toBeGreaterThan(100);
});
