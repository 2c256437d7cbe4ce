import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEADLINE_MS, serverOf, sleep, type Answering } from './virtual-server';

vi.setConfig({ testTimeout: 60_000 }); // outages last for real seconds, longer on a busy machine

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const SECONDS = 40;
const PER_SECOND = 20;
const WITHIN_MS = 2_000;
const HEALTHY_MS = 20;
const by = { userId: 'plant' };
const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);

type Server = ReturnType<typeof serverOf>;

/** Calls nodes again after each `Retry-After`; how long each call took (ms), and its answer. */
const startCalling = ({ submit }: Server, nodes: ReadonlyArray<string>) => {
  const calls: Array<{ readonly ms: number; readonly answer: string }> = [];
  const calling = async (nodeId: string): Promise<void> => {
    for (;;) {
      const began = performance.now();
      const answer = await submit(nodeId, 'call', by);
      calls.push({ ms: performance.now() - began, answer: E.isRight(answer) ? 'served' : answer.left._tag });
      await sleep(1_000 * (E.isLeft(answer) && 'retryAfter' in answer.left ? answer.left.retryAfter : 1));
    }
  };
  for (const nodeId of nodes) void calling(nodeId);
  return calls;
};

/** The share of calls by schedule that were served in time. */
const shareOf = async ({ submit }: Server, nodes: ReadonlyArray<string>, seconds = SECONDS): Promise<number> => {
  let inTime = 0;
  for (const number of upTo(seconds * PER_SECOND)) {
    const began = performance.now();
    void submit(nodes[number % nodes.length] ?? '', 'call', by).then((answer) => {
      if (E.isRight(answer) && performance.now() - began <= WITHIN_MS) inTime += 1;
    });
    await vi.advanceTimersByTimeAsync(1_000 / PER_SECOND);
  }
  await vi.advanceTimersByTimeAsync(DEADLINE_MS);
  return inTime / (seconds * PER_SECOND);
};

const stuckAs =
  (how: ReturnType<Answering>): Answering =>
  (nodeId) =>
    nodeId.startsWith('stuck') ? how : HEALTHY_MS;
const stuck = (count: number): ReadonlyArray<string> => upTo(count).map((index) => `stuck ${index}`);
const healthy = upTo(250).map((index) => `healthy ${index}`);

test.each([
  [1, 'fails'],
  [4, 'fails'],
  [50, 'fails'],
  [1, 'is silent'],
  [4, 'is silent'],
  [50, 'is silent'],
] as const)('%i nodes each of which %s, and their callers, take nothing from the others', async (count, how) => {
  const server = serverOf(stuckAs(how));
  const calls = startCalling(server, stuck(count));
  expect(await shareOf(server, healthy)).toBeGreaterThanOrEqual(0.99);
  expect(server.refused.filter((why) => why !== 'unresponsive')).toEqual([]);
  expect(calls.length).toBeGreaterThan(count * 3);
  expect(calls.filter(({ answer }) => answer === 'served')).toEqual([]);
  expect(Math.max(...calls.map(({ ms }) => ms))).toBeLessThanOrEqual(DEADLINE_MS);
});

test('a node that answers again is served as soon as it is called, beside others that stay stuck', async () => {
  let isStuck = true;
  const server = serverOf((nodeId) => (nodeId === 'stuck 0' && !isStuck ? HEALTHY_MS : stuckAs('is silent')(nodeId)));
  startCalling(server, stuck(50).slice(1));
  const calls = startCalling(server, ['stuck 0']);
  await shareOf(server, healthy, 20);
  isStuck = false;
  calls.length = 0;
  await shareOf(server, healthy, 30);
  const first = calls.findIndex(({ answer }) => answer === 'served');
  expect(first).toBeLessThanOrEqual(3);
  expect(calls.slice(first).every(({ ms }) => ms < WITHIN_MS)).toBe(true);
});

test('a call holds a slot for its attempts, not for the pauses between them', async () => {
  const { submit, state } = serverOf(() => 'unavailable');
  void submit('node', 'call', by);
  const seen = new Set<number>();
  for (const _ of upTo(500)) {
    await vi.advanceTimersByTimeAsync(5);
    seen.add(state().inFlight);
  }
  expect(seen).toEqual(new Set([0, 1]));
});

test('a node holds no slot while its group completes', async () => {
  const { submit, state } = serverOf(stuckAs('is silent'), {
    send: async (_, { calls }) => {
      await sleep(HEALTHY_MS);
      return { answers: calls.map(E.right), isAnswered: true, showsLoad: true, completed: sleep(60_000) };
    },
  });
  for (const node of upTo(20)) void submit(`n${node}`, 'call', by);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state()).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('while the server answers nobody few attempts are in flight, and when it is back all are served soon', async () => {
  let isAway = false;
  const server = serverOf(() => (isAway ? 'is silent' : HEALTHY_MS));
  expect(await shareOf(server, healthy, 5)).toBe(1);
  isAway = true;
  const calls = startCalling(server, healthy);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(server.attempts().most).toBeLessThan(200);
  expect(server.attempts().now).toBeLessThan(70);
  const late = calls.filter(({ ms }) => ms > 1_000).length;
  expect(late / calls.length).toBeLessThan(0.5); // most know at once
  isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await shareOf(server, healthy, 5)).toBe(1);
});

test('a server that refuses connections is asked by few at a time, also as it comes back', async () => {
  let isAway = true;
  const server = serverOf(() => (isAway ? 'unavailable' : HEALTHY_MS));
  startCalling(server, healthy.slice(0, 100));
  await vi.advanceTimersByTimeAsync(30_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server.attempts().most).toBeLessThan(40);
  expect(await shareOf(server, healthy, 5)).toBe(1);
});

test.each(['unavailable', 'is silent'] as const)(
  'after an outage in which the server %s, thousands of nodes that were called meanwhile are served within seconds',
  async (how) => {
    let isAway = false;
    const server = serverOf(() => (isAway ? how : 4 * HEALTHY_MS));
    const nodes = upTo(500).map((index) => `node ${index}`);
    const perSecond = 100;
    const [awaySeconds, backSeconds] = [5, 8];
    const served = upTo(awaySeconds + backSeconds).map(() => 0);
    for (const number of upTo(served.length * perSecond)) {
      const began = performance.now();
      const second = Math.floor(number / perSecond);
      isAway = second < awaySeconds;
      void server.submit(nodes[number % nodes.length] ?? '', 'call', { userId: `u${number % 20}` }).then((answer) => {
        const isServed = E.isRight(answer) && performance.now() - began <= WITHIN_MS;
        if (isServed) served[second] = (served[second] ?? 0) + 1;
      });
      if (number % 4 === 3) await vi.advanceTimersByTimeAsync(4_000 / perSecond);
    }
    await vi.advanceTimersByTimeAsync(WITHIN_MS);
    expect(served.slice(awaySeconds + 4)).toEqual(upTo(backSeconds - 4).map(() => perSecond));
  },
  60_000,
);
