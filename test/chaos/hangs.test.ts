import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runScenario, type ScenarioPlan } from './scenario';
import { isLong, isShort, seed } from './seed';
import type { Running } from '../../stack/running';
import type { Stack } from './stack/stack';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

/** Longer than the time-outs that a call and a task meet; in the long form longer than any: a publication has 5 minutes. */
const FROZEN_MS = isLong ? 330_000 : 12_000;
const AWAY_MS = isLong ? 300_000 : isShort ? 10_000 : 60_000;

const frozen =
  (partOf: (of: Stack) => Running): ScenarioPlan['fault'] =>
  async (setting) => {
    const part = partOf(setting.stack);
    part.freeze();
    await sleep(FROZEN_MS);
    part.thaw();
    return performance.now();
  };

const plans: ReadonlyArray<ScenarioPlan> = [
  { name: 'Redis frozen', seed, fault: frozen(({ redis }) => redis) },
  { name: 'a worker frozen', seed: seed + 1, fault: frozen(({ workers }) => workers[0]) },
  {
    name: 'Redis unavailable',
    seed: seed + 2,
    fault: async (setting) => {
      const { redis } = setting.stack;
      await redis.kill();
      await sleep(AWAY_MS);
      const endedAt = performance.now();
      await redis.restart();
      return endedAt;
    },
  },
];

test.each(plans)('$name for long loses and repeats nothing (seed $seed)', async (plan) => {
  const { verdict } = await runScenario(stack(), tail(), { ...plan, ...(isLong && { pauseMs: 600 }) });
  expect(verdict.breaches).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(100);
});
