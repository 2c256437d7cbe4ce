import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGapReporter } from '../../../stream/consumer/gaps';

test('a gap that several look for at once is told once, also where an older answer of Redis comes last', async () => {
  const kept = new Set(['1-0 1-0 1 us']);
  const reported: unknown[] = [];
  let calls = 0;
  const client = {
    eval: async () => {
      const found = [...kept];
      calls += 1;
      await sleep(calls === 1 ? 5 : 50);
      return found;
    },
    zRem: async (_: string, texts: ReadonlyArray<string>) => {
      for (const text of texts) kept.delete(text);
      await Promise.resolve();
    },
  };
  const consumer = {
    ...{ commands: { client }, stream: 's', group: 'g', keyPrefix: 's:g', consumer: 'us', claimAfterMs: 1_000 },
    ...{ report: () => undefined, count: () => undefined, onGap: (gap: unknown) => void reported.push(gap) },
  };
  const reportGaps = createGapReporter(consumer as unknown as Parameters<typeof createGapReporter>[0]);
  await Promise.all([reportGaps(), reportGaps(), reportGaps()]);
  expect(reported).toEqual([{ from: '1-0', to: '1-0', entries: 1 }]);
  expect([...kept]).toEqual([]);
});
