import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Running } from '../../dev/stack/running';
import { randomOf } from './load/random';
import { runScenario, type ScenarioPlan } from './scenario';
import { isLong, isShort, seed } from './seed';
import type { Stack } from './stack/stack';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

type Fault = ScenarioPlan['fault'];

/** Longer than the time-outs that a call and a task meet; in the long form longer than any: a publication has 5 minutes. */
const FROZEN_MS = isLong ? 330_000 : 12_000;
const AWAY_MS = isLong ? 300_000 : isShort ? 10_000 : 60_000;

const killed = async (parts: ReadonlyArray<Running>): Promise<number> => {
  await Promise.all(parts.map(({ kill }) => kill()));
  return performance.now();
};

const started = async (parts: ReadonlyArray<Running>): Promise<number> => {
  const endedAt = performance.now();
  await Promise.all(parts.map(({ start }) => start()));
  return endedAt;
};

/** Another one of its kind must take over: it stays dead until everything works again. */
const staysDead =
  (partOf: (of: Stack) => Running): Fault =>
  (setting) =>
    killed([partOf(setting.stack)]);

/** There is only one of it: it is started again after a moment, or after `awayMs`. */
const comesBack =
  (partsOf: (of: Stack) => ReadonlyArray<Running>, awayMs?: number): Fault =>
  async (setting) => {
    const parts = partsOf(setting.stack);
    await killed(parts);
    await sleep(awayMs ?? 1_000 + setting.random.below(2_000));
    return started(parts);
  };

const frozen =
  (partOf: (of: Stack) => Running): Fault =>
  async (setting) => {
    const part = partOf(setting.stack);
    part.freeze();
    await sleep(FROZEN_MS);
    part.thaw();
    return performance.now();
  };

const faults: Readonly<Record<string, Fault>> = {
  'kill -9 of worker 1': staysDead(({ workers }) => workers[0]),
  'kill -9 of worker 2': staysDead(({ workers }) => workers[1]),
  'kill -9 of API 1': staysDead(({ apis }) => apis[0]),
  'kill -9 of Redis': comesBack(({ redis }) => [redis]),
  'kill -9 of Temporal': comesBack(({ temporal }) => [temporal]),
  'kill -9 of all at once': comesBack(({ temporal, redis, workers, apis }) => [temporal, redis, ...workers, ...apis]),
};
const longFaults: Readonly<Record<string, Fault>> = {
  'a freeze of Redis': frozen(({ redis }) => redis),
  'a freeze of a worker': frozen(({ workers }) => workers[0]),
  'Redis unavailable for long': comesBack(({ redis }) => [redis], AWAY_MS),
};

/** Callers that ask without a pause, so that the fault meets many calls between commit and relay. */
const BUSY = { callers: 32, pauseMs: 5, keyed: 0 };

/** Each leaves nodes that nobody touches again: what they owe has to come out by itself. */
const quietPlans: ReadonlyArray<Omit<ScenarioPlan, 'seed'>> = [
  {
    ...{ ...BUSY, name: 'all APIs die and stay dead, then quiet' },
    fault: ({ stack: { apis } }) => killed(apis),
    mend: async ({ stack: { apis } }) => {
      await sleep(isLong ? 60_000 : 12_000);
      await started(apis);
      await Promise.all(apis.map(({ ready }) => ready()));
      return performance.now();
    },
  },
  {
    ...{ ...BUSY, name: 'an API hangs with calls in flight, and dies, then quiet' },
    fault: async ({ stack: { apis } }) => {
      apis[0].freeze();
      await sleep(3_000);
      return killed([apis[0]]);
    },
    mend: () => Promise.resolve(performance.now()),
  },
];

const inRandomOrder = (round: number): ReadonlyArray<ScenarioPlan> =>
  randomOf(seed + round)
    .shuffled(Object.entries(faults))
    .map(([name, fault], index) => ({ name, fault, seed: seed + 100 * round + index }));
const plans: ReadonlyArray<ScenarioPlan> = [
  ...Array.from({ length: isLong ? 3 : 1 }, (_, round) => inRandomOrder(round)).flat(),
  ...Object.entries(longFaults).map(([name, fault], index) => {
    return { name, fault, seed: seed + 1_000 + index, ...(isLong && { pauseMs: 600 }) };
  }),
  ...quietPlans.map((plan, index) => ({ ...plan, seed: seed + 2_000 + index })),
];

test.each(plans)('$name loses and repeats nothing (seed $seed)', async (plan) => {
  const { verdict } = await runScenario(stack(), tail(), plan);
  expect(verdict.breaches).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(100);
  await Promise.all([...stack().workers, ...stack().apis].map(({ startIfGone }) => startIfGone()));
});
