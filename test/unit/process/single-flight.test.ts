import { expect, onTestFinished, test, vi } from 'vitest';
import { singleFlight } from '../../../process/single-flight';

test('an answer is shared for a second, also one that fails at once, and is asked for again then', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answers: (() => Promise<number>)[] = [
    () => Promise.resolve(1),
    () => {
      throw new Error('at once');
    },
    () => Promise.resolve(3),
  ];
  let asked = 0;
  const ask = singleFlight(() => (answers[asked++] ?? (() => Promise.resolve(asked)))());
  expect([await ask(), await ask()]).toEqual([1, 1]);
  vi.advanceTimersByTime(1_001);
  await expect(ask()).rejects.toThrow('at once');
  await expect(ask()).rejects.toThrow('at once');
  vi.advanceTimersByTime(1_001);
  expect(await ask()).toBe(3);
});
