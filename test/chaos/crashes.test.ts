import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { randomOf } from './load/random';
import { runScenario, type ScenarioPlan } from './scenario';
import { isLong, seed } from './seed';
import type { Running } from '../../stack/running';
import type { Stack } from './stack/stack';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

type Fault = ScenarioPlan['fault'];

/** Another one of its kind must take over: it stays dead until everything works again. */
const staysDead =
  (partOf: (of: Stack) => Running): Fault =>
  async (setting) => {
    await partOf(setting.stack).kill();
    return performance.now();
  };

/** There is only one of it: it is started again after a moment. */
const comesBack =
  (partsOf: (of: Stack) => ReadonlyArray<Running>): Fault =>
  async (setting) => {
    const parts = partsOf(setting.stack);
    await Promise.all(parts.map(({ kill }) => kill()));
    await sleep(1_000 + setting.random.below(2_000));
    const endedAt = performance.now();
    await Promise.all(parts.map(({ start }) => start()));
    return endedAt;
  };

const faults: Readonly<Record<string, Fault>> = {
  'kill -9 of worker 1': staysDead(({ workers }) => workers[0]),
  'kill -9 of worker 2': staysDead(({ workers }) => workers[1]),
  'kill -9 of API 1': staysDead(({ apis }) => apis[0]),
  'kill -9 of Redis': comesBack(({ redis }) => [redis]),
  'kill -9 of Temporal': comesBack(({ temporal }) => [temporal]),
  'kill -9 of all at once': comesBack(({ temporal, redis, workers, apis }) => [temporal, redis, ...workers, ...apis]),
};

const rounds = isLong ? 3 : 1;
const order = Array.from({ length: rounds }, (_, round) =>
  randomOf(seed + round)
    .shuffled(Object.entries(faults))
    .map(([name, fault], index) => ({ name, fault, seed: seed + 100 * round + index })),
).flat();

test.each(order)('$name loses and repeats nothing (seed $seed)', async (plan) => {
  const { verdict } = await runScenario(stack(), tail(), plan);
  expect(verdict.breaches).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(100);
  await Promise.all([...stack().workers, ...stack().apis].map(({ startIfGone }) => startIfGone()));
});
