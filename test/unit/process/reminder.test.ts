import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReminder } from '../../../process/reminder';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('a fact is logged at once, each minute while it holds, and at once when it comes again', () => {
  const { isDue, end } = createReminder();
  const said: boolean[] = [];
  for (const seconds of [0, 30, 29, 1, 59, 1]) {
    vi.advanceTimersByTime(seconds * 1_000);
    said.push(isDue());
  }
  expect(said).toEqual([true, false, false, true, false, true]);
  end();
  expect(isDue()).toBe(true);
});
