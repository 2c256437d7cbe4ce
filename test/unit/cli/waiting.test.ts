import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWaiting } from '../../../cli/waiting';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const waitingThatTells = () => {
  const told: string[] = [];
  return { told, waiting: createWaiting('nobody is there', (why) => told.push(why)) };
};

test('what lasts is told once, by the last reason', async () => {
  const { told, waiting } = waitingThatTells();
  const calls = [waiting.during(after(60_000)), waiting.during(after(60_000))];
  await vi.advanceTimersByTimeAsync(2_000);
  waiting.because('busy');
  await vi.advanceTimersByTimeAsync(900);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(58_000);
  await Promise.all(calls);
  expect(told).toEqual(['busy']);
});

test('without a reason the first is told, and again after an answer', async () => {
  const { told, waiting } = waitingThatTells();
  const calls = [waiting.during(after(60_000)), waiting.during(after(5_000))];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told).toEqual(['nobody is there']);
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(calls);
  expect(told).toHaveLength(2);
});

test('nothing is told while answers come, or no call is in flight', async () => {
  const { told, waiting } = waitingThatTells();
  const long = waiting.during(after(10_000));
  for (let call = 0; call < 10; call += 1) {
    const short = waiting.during(after(1_000));
    await vi.advanceTimersByTimeAsync(1_000);
    await short;
  }
  await long;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([]);
});
