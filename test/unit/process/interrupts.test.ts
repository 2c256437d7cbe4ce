import { expect, onTestFinished, test, vi } from 'vitest';
import { interruptsBy } from '../../../process/interrupts';

test.each([
  ['the same one', 600, false],
  ['another one, which stops at once', 800, true],
])('a signal that comes soon is %s, also where the clock is set back meanwhile', (_, ms, isAgain) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { first, again, interrupt } = interruptsBy();
  interrupt();
  vi.advanceTimersByTime(ms);
  vi.setSystemTime(Date.now() - 3_600_000);
  interrupt();
  expect([first.aborted, again.aborted]).toEqual([true, isAgain]);
});
