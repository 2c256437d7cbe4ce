import { tsToMs } from '@temporalio/common/lib/time';
import { expect, test } from 'vitest';
import { createSandbox, updateOf } from '../../support/sandbox';
import { applyCommandsUpdate } from '../../../workflows/messages';
import { bundle, windowed } from './nodes';

const HOUR_MS = 3_600_000;

test('nodes that leave their events to a caller at the same time publish them at different times, after one to two hours', async () => {
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
  const hours = wakes.map(([ms = 0, ...more]) => (more.length === 0 ? ms / HOUR_MS : NaN)).sort((a, b) => a - b);
  expect(hours[0]).toBeGreaterThanOrEqual(1);
  expect(hours[39]).toBeLessThan(2);
  expect(hours[9]).toBeLessThan(1.5);
  expect(hours[30]).toBeGreaterThan(1.5);
});
