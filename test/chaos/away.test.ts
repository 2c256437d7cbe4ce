import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from './probe';
import { runScenario } from './scenario';
import { isLong, seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

/** Each of 40 nodes is measured once a minute for an hour; else three times within seconds. */
const [ROUNDS, EVERY_MS] = isLong ? [60, 60_000] : [3, 2_000];

const servers = [['redis', true] as const, ['temporal', false] as const];
test.each(servers)('%s is away: whether measurements are taken: %s', { timeout: 5_000_000 }, async (part, isTaken) => {
  const { verdict } = await runScenario(stack(), tail(), {
    ...{ name: `${part} away for ${ROUNDS} x ${EVERY_MS} ms`, seed: seed + (isTaken ? 3_000 : 4_000), callers: 1 },
    fault: async ({ recorder, requests, nodes }) => {
      await stack()[part].kill();
      for (let round = 1; round <= ROUNDS; round += 1) {
        const next = sleep(EVERY_MS);
        const sent = nodes.map((nodeId) => recorder.send(nodeId, requests.measurement(), { keyed: false }));
        for (const { answer } of await Promise.all(sent)) expect(answer === 'acknowledged').toBe(isTaken);
        await next;
      }
      await stack()[part].restart();
      const backAt = performance.now();
      const waiting = recorder.writes.filter(({ answer }) => answer === 'acknowledged');
      const left = (): number => waiting.filter(({ id }) => !tail().arrivals.has(id)).length;
      const ms = await eventually(left, (count) => count === 0, 300_000);
      console.log(`${part} is back: the events of ${waiting.length} writes are out after ${ms.toFixed(0)} ms`);
      return backAt;
    },
  });
  expect(verdict.breaches).toEqual([]);
});
