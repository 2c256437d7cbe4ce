import { expect, test, vi } from 'vitest';
import { consumeEvents } from '../../../stream/consumer';

test('a consumer that does not reach Redis reports why', async () => {
  const reported: string[] = [];
  const ending = new AbortController();
  const consuming = consumeEvents({
    ...{ redis: { url: 'redis://127.0.0.1:1' }, stream: 's', group: 'g', signal: ending.signal },
    ...{ handle: () => Promise.resolve(undefined), report: (line: string) => void reported.push(line) },
  });
  await vi.waitFor(() => expect(reported).toEqual([expect.stringMatching(/^Redis: .*ECONNREFUSED/u)]), 5_000);
  ending.abort();
  await consuming;
});
