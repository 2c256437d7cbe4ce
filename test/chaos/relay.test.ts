import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runScenario, type ScenarioPlan } from './scenario';
import { isLong, seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

/** How long all APIs stay dead. */
const AWAY_MS = isLong ? 60_000 : 12_000;
/** Callers that ask without a pause, so that the fault meets many calls between commit and relay. */
const BUSY = { callers: 32, pauseMs: 5, keyed: 0 };

type Quiet = Pick<ScenarioPlan, 'fault'> & Required<Pick<ScenarioPlan, 'mend'>>;

const now = (): Promise<number> => Promise.resolve(performance.now());

/** Each leaves nodes that nobody touches again: what they owe has to come out by itself. */
const faults: Readonly<Record<string, Quiet>> = {
  'an API dies with calls in flight, then quiet': {
    fault: async (setting) => {
      await setting.stack.apis[0].kill();
      return performance.now();
    },
    mend: now,
  },
  'all APIs die and stay dead, then quiet': {
    fault: async ({ stack: { apis } }) => {
      await Promise.all(apis.map(({ kill }) => kill()));
      return performance.now();
    },
    mend: async ({ stack: { apis } }) => {
      await sleep(AWAY_MS);
      await Promise.all(apis.map(({ start }) => start()));
      await Promise.all(apis.map(({ ready }) => ready()));
      return performance.now();
    },
  },
  'Redis dies between intent and relay, then quiet': {
    fault: async ({ stack: { redis } }) => {
      await redis.kill();
      return performance.now();
    },
    mend: async ({ stack: { redis } }) => {
      await sleep(3_000);
      await redis.restart();
      return performance.now();
    },
  },
  'Temporal dies with calls in flight, then quiet': {
    fault: async ({ stack: { temporal } }) => {
      await temporal.kill();
      return performance.now();
    },
    mend: async ({ stack: { temporal } }) => {
      await temporal.restart();
      return performance.now();
    },
  },
  'an API hangs with calls in flight, and dies, then quiet': {
    fault: async ({ stack: { apis } }) => {
      apis[0].freeze();
      await sleep(3_000);
      await apis[0].kill();
      return performance.now();
    },
    mend: now,
  },
};

const order = Object.entries(faults).map(([name, fault], index) => ({ name, seed: seed + index, ...fault }));

test.each(order)('$name: every event comes out by itself (seed $seed)', async (plan) => {
  const { verdict } = await runScenario(stack(), tail(), { ...plan, ...BUSY });
  expect(verdict.breaches).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(100);
  await Promise.all(stack().apis.map(({ startIfGone }) => startIfGone()));
});
