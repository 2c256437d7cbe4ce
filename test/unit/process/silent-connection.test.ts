import { expect, test } from 'vitest';
import { waitForReplacement } from '../../../process/silent-connection';

test('a replacement that is not needed, and cannot be closed, ends neither the watch nor the process', async () => {
  const stop = new AbortController();
  let closed = 0;
  const open = (): { close: () => Promise<void> } => ({
    close: () => {
      closed += 1;
      if (closed === 2) stop.abort();
      return Promise.reject(new Error('it is broken'));
    },
  });
  const found = await waitForReplacement({
    connection: open(),
    connect: () => Promise.resolve(open()),
    isSilent: () => Promise.resolve(true),
    signal: stop.signal,
  });
  expect([found, closed]).toEqual([undefined, 2]);
});
