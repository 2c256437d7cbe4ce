import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBalancer } from './load/balancer';
import { runScenario } from './scenario';
import { seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

/** Between two restarts: the balancer must have seen the one that is back. */
const PAUSE_MS = 3_000;

test('a rolling restart by SIGTERM fails no call', async () => {
  const balancer = createBalancer(stack().apis.map(({ url }) => url));
  const ends: { readonly name: string; readonly exit: string; readonly ms: number }[] = [];
  try {
    const { verdict, setting } = await runScenario(stack(), tail(), {
      name: 'rolling restart',
      seed,
      callers: 8,
      keyed: 0,
      nextBase: balancer.next,
      fault: async ({ stack: { apis, workers }, random }) => {
        for (const part of random.shuffled([...apis, ...workers])) {
          ends.push({ name: part.name, ...(await part.terminate()) });
          await part.start();
          await part.ready();
          await sleep(PAUSE_MS);
        }
        return performance.now();
      },
    });
    const failed = setting.recorder.tries
      .filter(({ called: { status } }) => status === 0 || status >= 500 || status === 429)
      .map(({ called: { status, fault, body, ms }, base }) => ({ base, status, fault, body, ms }));
    expect(failed).toEqual([]);
    expect(verdict.breaches).toEqual([]);
    expect(verdict.unknown).toBe(0);
    expect(verdict.acknowledged).toBeGreaterThan(100);
    for (const end of ends) {
      expect(end).toMatchObject({ exit: 'exit code 0' });
      expect(end.ms).toBeLessThan(10_000);
    }
  } finally {
    balancer.close();
  }
});
