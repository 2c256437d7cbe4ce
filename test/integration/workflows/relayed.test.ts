import { tsToMs } from '@temporalio/common/lib/time';
import { expect, test } from 'vitest';
import { createSandbox, updateOf } from '../../support/sandbox';
import { applyCommandsUpdate } from '../../../workflows/messages';
import { bundle, windowed } from './nodes';

const MINUTE_MS = 60_000;

test('nodes that leave their events to a caller at the same time publish them at different times, after 10 to 20 minutes', async () => {
  const newNode = await createSandbox((await bundle()).code);
  const wakes = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const { activate } = await newNode();
      const group = updateOf(applyCommandsUpdate.name, { commands: [windowed()], relay: 'api' });
      const { successful } = await activate([group]);
      return (successful?.commands ?? []).flatMap(({ startTimer: timer }) =>
        timer == null ? [] : [tsToMs(timer.startToFireTimeout)],
      );
    }),
  );
  const minutes = wakes.map(([ms = 0, ...more]) => (more.length === 0 ? ms / MINUTE_MS : NaN)).sort((a, b) => a - b);
  expect(minutes[0]).toBeGreaterThanOrEqual(10);
  expect(minutes[39]).toBeLessThan(20);
  expect(minutes[9]).toBeLessThan(15);
  expect(minutes[30]).toBeGreaterThan(15);
});
