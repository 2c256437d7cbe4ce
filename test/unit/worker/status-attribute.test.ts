import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { statusAttributeIsKnown } from '../../../worker/status-attribute';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A cluster whose host takes the attribute as long as `takes`, and how often it was asked. */
const cluster = () => {
  const host = { takes: true, asked: 0 };
  const isKnown = statusAttributeIsKnown(() => {
    host.asked += 1;
    return Promise.resolve(host.takes);
  });
  return { host, isKnown };
};

test('an attribute is known to all hosts two minutes after one of them took it', async () => {
  const { isKnown } = cluster();
  expect(await isKnown()).toBe(false);
  vi.advanceTimersByTime(119_000);
  expect(await isKnown()).toBe(false);
  vi.advanceTimersByTime(11_000);
  expect(await isKnown()).toBe(true);
});

test('the two minutes are those of the steady clock: one that is set right makes no attribute known', async () => {
  const { isKnown } = cluster();
  await isKnown();
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(await isKnown()).toBe(false);
});

test('a host that refuses the attribute meanwhile begins the two minutes anew', async () => {
  const { host, isKnown } = cluster();
  await isKnown();
  host.takes = false;
  vi.advanceTimersByTime(60_000);
  await isKnown();
  host.takes = true;
  vi.advanceTimersByTime(60_000);
  expect(await isKnown()).toBe(false);
  vi.advanceTimersByTime(120_000);
  expect(await isKnown()).toBe(true);
});

test('many nodes that ask are one question in ten seconds', async () => {
  const { host, isKnown } = cluster();
  for (let node = 0; node < 100; node += 1) await isKnown();
  expect(host.asked).toBe(1);
  vi.advanceTimersByTime(10_000);
  await isKnown();
  expect(host.asked).toBe(2);
});
