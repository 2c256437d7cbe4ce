import * as E from 'fp-ts/Either';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Outage } from '../../../../api/ports';
import type { RefusalReason } from '../../../../api/admission/queue-metrics';
import { createQueues } from '../../../../api/admission/queues';

const CALLS = 50_000;
const AT_ONCE = 500;
/** So short that some are late. */
const DEADLINE_MS = 60;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** What is made by `Map` and `Set` until the test ends. */
const collections = (): Array<{ readonly size: number }> => {
  const all: Array<{ readonly size: number }> = [];
  vi.stubGlobal(
    'Map',
    class<K, V> extends Map<K, V> {
      constructor(entries?: Iterable<readonly [K, V]>) {
        super(entries);
        all.push(this);
      }
    },
  );
  vi.stubGlobal(
    'Set',
    class<A> extends Set<A> {
      constructor(values?: Iterable<A>) {
        super(values);
        all.push(this);
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  return all;
};

test('thousands of calls of every outcome leave nothing behind: no entry, no timer, no listener', async () => {
  const reasons = new Set<RefusalReason>();
  const made = collections();
  let turn = 0;
  let isCalm = false;
  const { submit, refusal } = createQueues<number, Outage, string>({
    deadlineMs: DEADLINE_MS,
    mostWaiting: 2,
    mostTogether: 2,
    gatheredCalls: 4,
    kinds: ['update', 'start'],
    kindOf: (nodeId) => (nodeId.endsWith('1') ? 'start' : 'update'),
    send: async (_, { calls, until }, slot) => {
      const fate = isCalm ? 49 : (turn += 1) % 50;
      if (fate === 0) await sleep(2 * DEADLINE_MS); // later than its callers wait
      if (fate < 3) slot.release();
      if (fate < 3 && !(await slot.reacquire(until))) return { answers: [], isAnswered: false, showsLoad: false };
      if (fate < 5) await sleep(until - performance.now() - 1);
      const [answered, isAnswered] = [fate === 5 ? 0 : calls.length, fate !== 6];
      const answer: E.Either<Outage, string> = isAnswered ? E.right('done') : E.left({ _tag: 'TimedOut' });
      const completed = fate === 7 ? sleep(1) : Promise.resolve();
      return { answers: calls.slice(0, answered).map(() => answer), isAnswered, showsLoad: true, completed };
    },
    metrics: { watch: () => undefined, refused: (why) => void reasons.add(why) },
  });
  const own = made.splice(0); // those of the queues; what is made later belongs to a call
  const before = timers();
  const outcomes = new Map<string, number>();
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  for (let call = 0; call < CALLS; call += AT_ONCE) {
    const leaves = new AbortController();
    const answers = Array.from({ length: AT_ONCE }, async (_, index) => {
      const gone = index % 10 === 0 ? leaves.signal : new AbortController().signal;
      const userId = `u${index % 20 < 12 ? 0 : index}`;
      const answer = await submit(`n${index % 100}`, index, { userId, disconnected: gone });
      const outcome = E.isRight(answer) ? answer.right : answer.left._tag;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      return gone;
    });
    setTimeout(() => leaves.abort(), 5);
    refusal('another', { userId: 'u0' });
    const signals = await Promise.all(answers);
    expect(getEventListeners(leaves.signal, 'abort')).toEqual([]);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
    made.length = 0;
  }
  await sleep(4 * DEADLINE_MS);
  isCalm = true; // a node that failed is remembered until it answers
  for (let node = 0; node < 100; node += 1)
    expect(await submit(`n${node}`, node, { userId: 'u', until: performance.now() + 60_000 })).toEqual(E.right('done'));
  await sleep(DEADLINE_MS);
  expect([...reasons].sort()).toEqual(['gone', 'late', 'node', 'overload', 'share', 'unresponsive']);
  expect([...outcomes.keys()].sort()).toEqual(['Overloaded', 'QueueFull', 'TimedOut', 'Unavailable', 'done']);
  expect(warned).not.toHaveBeenCalled();
  expect(timers() - before).toBeLessThanOrEqual(2); // Vitest has some of its own
  expect(own.map(({ size }) => size)).toEqual(own.map(() => 0));
}, 60_000);

/** Held by this file, and so is what waits for it. */
const stuck = new Promise<void>(() => undefined);

test('a node that is stuck keeps nothing of the calls that were answered', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { submit } = createQueues<object, Outage, string>({
    ...{ deadlineMs: 10_000, mostWaiting: 10, mostTogether: 10, kinds: ['update'], kindOf: () => 'update' },
    send: (_, { calls }) =>
      Promise.resolve({
        answers: calls.map(() => E.left<Outage>({ _tag: 'TimedOut' })),
        ...{ isAnswered: false, showsLoad: false, completed: stuck },
      }),
    metrics: { watch: () => undefined, refused: () => undefined },
  });
  const submitted = async (): Promise<WeakRef<object>> => {
    const call = { lines: [1, 2, 3] };
    expect(await submit('n', call, { userId: 'u' })).toEqual(E.left({ _tag: 'TimedOut' }));
    return new WeakRef(call);
  };
  const call = await submitted();
  await vi.waitFor(() => {
    collectGarbage();
    expect(call.deref() === undefined).toBe(true); // an error would hold it
  });
});
