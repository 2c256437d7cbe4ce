import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RefusalReason, QueuesState } from '../../../../api/admission/queue-metrics';
import { createQueues } from '../../../../api/admission/queues';
import type { Caller, Outage } from '../../../../api/ports';

const DEADLINE_MS = 10_000;
/** Longest expected wait with which a call is taken in. */
const PATIENCE_MS = 0.3 * DEADLINE_MS;
/** Slots at first. */
const SLOTS = 4;
/** Windows of answers by which the estimate of a turn is right. */
const WINDOWS = 10;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Queues over a server that answers each group after `tripMs`, and what was sent, in order. */
const started = (plan: { tripMs?: () => number; kindOf?: (nodeId: string) => string; mostWaiting?: number } = {}) => {
  const { tripMs = () => 100, kindOf = () => 'update', mostWaiting = 256 } = plan;
  const sent: string[] = [];
  const refused: RefusalReason[] = [];
  let state = (): QueuesState => ({ waiting: 0, inFlight: 0, limit: 0, expectedSeconds: 0 });
  const queues = createQueues<string, never, string>({
    deadlineMs: DEADLINE_MS,
    mostWaiting,
    mostTogether: 64,
    kinds: ['update', 'start'],
    kindOf,
    send: async (nodeId, { calls }) => {
      sent.push(`${nodeId}: ${calls.join()}`);
      await new Promise((resolve) => setTimeout(resolve, tripMs()));
      return { answers: calls.map(E.right), isAnswered: true, showsLoad: true };
    },
    metrics: {
      watch: (now) => {
        state = now;
      },
      refused: (why) => refused.push(why),
    },
  });
  /** The calls are named by their user and a number. */
  const call = (nodeId: string, name: string, by: Partial<Caller> = {}): Promise<E.Either<Outage, string>> =>
    queues.submit(nodeId, name, { userId: name.charAt(0), ...by });
  return { ...queues, call, sent, refused, state: () => state() };
};

/** The outcome of a call, now. */
const now = async (answer: Promise<E.Either<Outage, string>>): Promise<E.Either<Outage, string> | 'waits'> => {
  const waits = vi.advanceTimersByTimeAsync(0).then(() => 'waits' as const);
  return Promise.race([answer, waits]);
};
const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);
const overloaded = { _tag: 'Overloaded', isOwnShare: false, retryAfter: expect.any(Number) };

describe('the slots', () => {
  test('are few at first, and what waits for one joins the group of its node', async () => {
    const { call, sent, state } = started();
    for (const node of upTo(SLOTS + 1)) void call(`n${node}`, 'a1');
    void call('n4', 'b2');
    expect(sent).toHaveLength(SLOTS);
    expect(state()).toMatchObject({ waiting: 2, inFlight: SLOTS, limit: SLOTS });
    await vi.advanceTimersByTimeAsync(100);
    expect(sent.at(-1)).toBe('n4: a1,b2');
    await vi.advanceTimersByTimeAsync(100);
    expect(state()).toMatchObject({ waiting: 0, inFlight: 0 });
  });

  test('grow in number while there is more to send', async () => {
    const { call, state } = started();
    for (const node of upTo(100)) void call(`n${node}`, 'a1');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state().limit).toBeGreaterThan(2 * SLOTS);
  });

  test('are fewer while several users call, so that the server is quick for all of them', async () => {
    const limitAfter = async (users: ReadonlyArray<string>): Promise<number> => {
      let trips = 0;
      const { call, state } = started({ tripMs: () => (trips++ < 10 * SLOTS ? 10 : 45) });
      for (const node of upTo(200)) for (const user of users) void call(`${user}${node}`, `${user}${node}`);
      await vi.advanceTimersByTimeAsync(900);
      return state().limit;
    };
    expect(await limitAfter(['a'])).toBeGreaterThan(2 * SLOTS);
    expect(await limitAfter(['a', 'b'])).toBeLessThan(2 * SLOTS);
  });

  test('go to users in turn, and of each to the node that came first', async () => {
    const { call, sent } = started();
    for (const node of upTo(SLOTS)) void call(`n${node}`, 'a0');
    for (const node of upTo(4)) void call(`a${node}`, 'a1');
    void call('b0', 'b1');
    void call('c0', 'c1');
    await vi.advanceTimersByTimeAsync(300);
    expect(sent.slice(SLOTS).map((text) => text.slice(0, 2))).toEqual(['b0', 'c0', 'a0', 'a1', 'a2', 'a3']);
  });

  test('are left for others while several users call: one takes half of them, and whoever comes finds one', async () => {
    const { call, sent } = started();
    void call('b0', 'b0');
    for (const node of upTo(8)) void call(`a${node}`, 'a1');
    expect(sent).toEqual(['b0: b0', 'a0: a1', 'a1: a1']);
    void call('c0', 'c1');
    expect(sent.at(-1)).toBe('c0: c1');
    await vi.advanceTimersByTimeAsync(100);
    void call('d0', 'd1');
    expect(sent.at(-1)).toBe('d0: d1');
  });

  test('are few for one who floods while others call and the server is slow, and many once those are gone', async () => {
    let trips = 0;
    const { call, sent, state } = started({ tripMs: () => (trips++ < 50 ? 10 : 60) });
    for (const node of upTo(2_000)) void call(`a${node}`, 'a1');
    const sentInASecond = async (others: boolean): Promise<number> => {
      const before = sent.filter((text) => text.startsWith('a')).length;
      for (const tenth of upTo(10)) {
        if (others) void call(`b${tenth}`, 'b1');
        if (others) void call('a0', 'a2');
        await vi.advanceTimersByTimeAsync(100);
      }
      return sent.filter((text) => text.startsWith('a')).length - before;
    };
    for (const _ of upTo(3)) await sentInASecond(true);
    expect(await sentInASecond(true)).toBeLessThan(10);
    expect(state().expectedSeconds).toBeGreaterThan(PATIENCE_MS / 2_000);
    expect((await sentInASecond(false)) + (await sentInASecond(false))).toBeGreaterThan(40);
  });

  test('that a start takes are as many as it takes longer than an update', async () => {
    let ms = 10;
    const { call, state } = started({
      tripMs: () => ms,
      kindOf: (nodeId) => (nodeId.startsWith('s') ? 'start' : 'update'),
    });
    const alone = async (nodeId: string, takes: number): Promise<void> => {
      ms = takes;
      void call(nodeId, 'a1');
      await vi.advanceTimersByTimeAsync(200);
    };
    await alone('u', 10);
    await alone('u', 10);
    await alone('s', 30);
    await alone('s', 30);
    void call('u', 'a1');
    expect(state().inFlight).toBe(1);
    void call('s', 'a1');
    expect(state().inFlight).toBe(4);
  });
});

describe('a call that would wait too long', () => {
  /** A server that has answered some, and of which one user wants so much that not all is taken in: 100 ms a turn. */
  const full = async () => {
    const running = started({ tripMs: () => 400 });
    for (const _ of upTo(WINDOWS)) {
      for (const node of upTo(SLOTS)) void running.call(`n${node}`, `a${node}`);
      await vi.advanceTimersByTimeAsync(500);
    }
    const later = upTo(80).map((node) => running.call(`m${node}`, `a${node}`));
    return { ...running, outcomes: await Promise.all(later.map(now)) };
  };

  test('is taken in by a cold process, whose first answers are slow, from a crowd of patient callers', async () => {
    let trips = 0;
    const { call, refused } = started({ tripMs: () => Math.max(200, 2_000 - 50 * trips++) });
    const caller = async (_: unknown, user: number): Promise<void> => {
      for (const node of upTo(3)) await call(`n${node * 64 + user}`, 'a1');
    };
    const all = Promise.all(Array.from({ length: 64 }, caller));
    await vi.advanceTimersByTimeAsync(6 * DEADLINE_MS);
    await all;
    expect(refused).toEqual([]);
  });

  test('is taken in after a pause, whatever starts weighed before it', async () => {
    let ms = 10;
    const { call, refused } = started({
      tripMs: () => ms,
      kindOf: (nodeId) => (nodeId.startsWith('s') ? 'start' : 'update'),
    });
    const alone = async (nodes: ReadonlyArray<string>): Promise<void> => {
      for (const node of nodes) void call(node, 'a1');
      await vi.advanceTimersByTimeAsync(200);
    };
    await alone(['u1']);
    ms = 34;
    for (const nodes of [['s1'], ['s2', 'u2']]) await alone(nodes); // 3.4 + 1 - 3.4 - 1 is not quite 0
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    for (const node of upTo(64)) void call(`u${node}`, 'a1');
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(refused).toEqual([]);
  });

  test('is refused at once, and was not sent', async () => {
    const { outcomes, sent } = await full();
    const firstRefused = outcomes.findIndex((one) => one !== 'waits');
    expect(firstRefused).toBeGreaterThanOrEqual(0);
    for (const one of outcomes.slice(firstRefused)) expect(one).toEqual(E.left(overloaded));
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(sent.filter((text) => text.startsWith('m'))).toHaveLength(
      outcomes.indexOf(outcomes[firstRefused] ?? 'waits'),
    );
  });

  test('may come back when those before it are done, each a little later than the one before', async () => {
    const { outcomes } = await full();
    const seconds = outcomes.flatMap((one) =>
      one !== 'waits' && E.isLeft(one) && 'retryAfter' in one.left ? [one.left.retryAfter] : [],
    );
    expect(seconds[0]).toBe(1);
    expect(seconds).toEqual([...seconds].sort((one, other) => one - other));
    expect(seconds.at(-1)).toBeLessThanOrEqual(DEADLINE_MS / 1_000);
    expect(seconds.at(-1)).toBeGreaterThan(1);
  });

  test('is known before its body is read', async () => {
    const { refusal } = await full();
    expect(refusal('other', { userId: 'a' })).toEqual(overloaded);
    expect(refusal('other', { userId: 'b' })).toBeUndefined();
  });

  test('is taken in where its node waits already: its group becomes larger', async () => {
    const { call } = await full();
    expect(await now(call('m9', 'a9'))).toBe('waits');
  });

  test('of another user is taken in, and served soon', async () => {
    const { call } = await full();
    const other = call('b0', 'b0');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await now(other)).toEqual(E.right('b0'));
  });

  test('is the fault of its user while others are served', async () => {
    const { call, refused } = await full();
    expect(new Set(refused)).toEqual(new Set(['overload']));
    void call('b0', 'b0');
    expect(await now(call('other', 'a1'))).toEqual(E.left({ ...overloaded, isOwnShare: true }));
    expect(refused.at(-1)).toBe('share');
  });
});

test('who is not even looked at is refused for their own share where others have calls in flight', async () => {
  const { call, tooMany, refused } = started();
  for (const node of upTo(SLOTS + 1)) void call(`n${node}`, 'a0');
  expect(tooMany()).toEqual(overloaded);
  void call('other', 'b0');
  expect(tooMany()).toEqual({ ...overloaded, isOwnShare: true });
  expect(refused).toEqual(['overload', 'share']);
});

test('of a crowd of patient callers none is refused, however long the server takes at first', async () => {
  const { call, refused } = started({ tripMs: () => 560 });
  const patient = async (node: number): Promise<void> => {
    for (const one of upTo(2)) {
      await call(`n${node}`, `a${one}`);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  };
  const callers = Promise.all(upTo(64).map(patient));
  await vi.advanceTimersByTimeAsync(30_000);
  await callers;
  expect(refused).toEqual([]);
});

test('when the server answers nothing any more, what waits is refused as well', async () => {
  let isHung = false;
  const { call, sent, refused } = started({ tripMs: () => (isHung ? 1e6 : 100) });
  for (const node of upTo(12)) void call(`w${node}`, 'a0');
  await vi.advanceTimersByTimeAsync(500);
  isHung = true;
  for (const user of 'hijklmnopqrs') void call(`h${user}`, `${user}0`); // together they take every slot
  for (const node of upTo(50)) void call(`n${node}`, 'a0');
  const began = sent.length;
  await vi.advanceTimersByTimeAsync(2_500);
  const many = upTo(60).map((node) => call(`m${node}`, `a${node}`));
  expect(refused).toEqual([]);
  expect(sent.length - began).toBeLessThanOrEqual(2_500 / 20); // by one at a time it finds out that nobody is answered
  await vi.advanceTimersByTimeAsync(1.25 * PATIENCE_MS - 2_500 + 100);
  const few = await Promise.all(many.slice(-20).map(now));
  for (const one of few) expect(one).toEqual(E.left(overloaded));
  const more = await Promise.all(upTo(10).map((node) => now(call(`b${node}`, 'b0'))));
  expect(more.filter((one) => one === 'waits').length).toBeLessThanOrEqual(1); // it shows whether the server is back
});

describe('a caller who disconnects', () => {
  test('leaves the queue, and nothing is sent for it', async () => {
    const { call, sent, refused, state } = started();
    for (const node of upTo(SLOTS)) void call(`n${node}`, 'a0');
    const gone = new AbortController();
    const [left, stays] = [call('m', 'a1', { disconnected: gone.signal }), call('m', 'a2')];
    const alone = new AbortController();
    void call('k', 'b1', { disconnected: alone.signal });
    gone.abort();
    alone.abort();
    expect(E.isLeft(await left)).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(sent.slice(SLOTS)).toEqual(['m: a2']);
    expect(await stays).toEqual(E.right('a2'));
    expect(refused).toEqual(['gone', 'gone']);
    expect(state().waiting).toBe(0);
  });

  test('before its call comes is not taken in, and after it was sent changes nothing', async () => {
    const { call, sent } = started();
    const gone = new AbortController();
    const first = call('n', 'a1', { disconnected: gone.signal });
    gone.abort();
    expect(E.isLeft(await call('n', 'a2', { disconnected: gone.signal }))).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(await first).toEqual(E.right('a1'));
    expect(sent).toEqual(['n: a1']);
  });
});

test('nothing is sent for a call whose deadline has passed', async () => {
  const { call, sent, refused } = started({ tripMs: () => DEADLINE_MS + 1_000 });
  void call('n', 'a1');
  const late = call('n', 'a2');
  await vi.advanceTimersByTimeAsync(DEADLINE_MS + 2_000);
  expect(await late).toMatchObject(E.left({ _tag: 'Unavailable', mayHaveChanged: false }));
  expect([sent, refused]).toEqual([['n: a1'], ['late']]);
});

test('nor where its timer is late, as in a process that had no processor time', async () => {
  const { call, sent, refused } = started({ tripMs: () => 500 });
  for (const node of upTo(SLOTS)) void call(`n${node}`, 'a0');
  const late = call('m', 'a1', { until: performance.now() + 1_000 });
  const onTime = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => onTime() + 1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await vi.advanceTimersByTimeAsync(500);
  expect(await late).toMatchObject(E.left({ _tag: 'Unavailable', mayHaveChanged: false }));
  expect([sent.slice(SLOTS), refused]).toEqual([[], ['late']]);
});

test('a node that takes long refuses what would come too late behind it', async () => {
  const { call, refused } = started({ tripMs: () => 1e6 });
  void call('n', 'a1');
  await vi.advanceTimersByTimeAsync(DEADLINE_MS / 2);
  expect(await now(call('n', 'a2'))).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  expect(await now(call('n', 'a3'))).toEqual(
    E.left({ _tag: 'Unavailable', dependency: 'The node', retryAfter: 6, mayHaveChanged: false }),
  );
  expect(refused).toEqual(['unresponsive']);
});

test('a full queue makes place for who has less in it', async () => {
  const { call, refused } = started({ mostWaiting: 3 });
  void call('n', 'z0');
  const many = upTo(3).map((number) => call('n', `a${number}`));
  const newcomer = call('n', 'b0');
  expect(await now(many[2] ?? newcomer)).toEqual(E.left({ _tag: 'QueueFull', retryAfter: 1 }));
  expect(await now(call('n', 'b1'))).toEqual(E.left({ _tag: 'QueueFull', retryAfter: 1 }));
  await vi.advanceTimersByTimeAsync(300);
  expect(await Promise.all([many[0], many[1], newcomer])).toEqual(['a0', 'a1', 'b0'].map((name) => E.right(name)));
  expect(refused).toEqual(['node', 'node']);
});
