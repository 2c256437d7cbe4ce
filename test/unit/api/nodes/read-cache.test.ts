import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type CachedNode,
  cachedNodeOf,
  cachedReads,
  createReadCache,
  type ReadCache,
  applyEvent,
} from '../../../../api/nodes/read-cache';
import type { Caller, Outage, PointAlarms } from '../../../../api/ports';
import type { GroupReceipt } from '../../../../workflows/domain/node/apply-group';
import {
  newNode,
  type Node,
  alarmStatusView,
  revisedThreshold,
  type Snapshot,
  snapshotView,
} from '../../../../workflows/domain/node/state';
import { eventOf, type StreamEvent } from '../../../../workflows/domain/node/events';
import { setExternalAlarm, setThreshold } from '../../../support/commands';
import { overall } from '../../../support/measurements';
import { anId, nodeAfter, nodeId, type Sent } from '../../../support/scenario';
import { rightOf } from '../../../support/either';

const timedOut: Outage = { _tag: 'TimedOut' };

/** Questions to nodes, which are answered when the test says so. */
const createQuestions = () => {
  const asked: Array<(answer: E.Either<Outage, Snapshot>) => void> = [];
  const callers: Array<Caller | undefined> = [];
  return {
    ask: (_: string, by?: Caller) => {
      callers.push(by);
      return new Promise<E.Either<Outage, Snapshot>>((resolve) => asked.push(resolve));
    },
    callers,
    count: () => asked.length,
    answer: (index: number, node: Node | Outage) => {
      asked[index]?.('state' in node ? E.right(snapshotView(node.state)) : E.left(node));
    },
  };
};

/** A cache and its questions, and a node that it has loaded. */
const started = async (nodes = 10) => {
  const questions = createQuestions();
  const cache = createReadCache(questions.ask, nodes);
  const loaded = async (id: string, node: Node): Promise<void> => {
    const loading = cache.load(id);
    questions.answer(questions.count() - 1, node);
    await loading;
  };
  await loaded(nodeId, one);
  return { cache, questions, loaded };
};

const untouched = newNode(nodeId);
const one = nodeAfter([setThreshold({ fullScale: 1 })]);
const two = nodeAfter([setThreshold({ fullScale: 2 }), setExternalAlarm({ status: 3 })], one);
const anew = nodeAfter([setThreshold({ fullScale: 9 })]);

const newEvents = (before: Node, { outbox }: Node): ReadonlyArray<StreamEvent> =>
  outbox.waiting.slice(before.outbox.waiting.length).map(({ type, data }) => rightOf(eventOf(type, data)));
const take = (cache: ReadCache, events: ReadonlyArray<StreamEvent>): void => {
  for (const event of events) cache.applyEvent(nodeId, event);
};
const shown = ({ state }: Node) => ({ threshold: revisedThreshold(state), alarmStatus: alarmStatusView(state) });

describe('the cache', () => {
  test('knows what it loaded, and follows it by events', async () => {
    const { cache } = await started();
    expect(cache.cached(nodeId)).toMatchObject(shown(one));
    take(cache, newEvents(one, two));
    expect(cache.cached(nodeId)).toMatchObject(shown(two));
    expect(cache.cached(anId(1))).toBeUndefined();
  });

  test('begins no node by an event', async () => {
    const { cache } = await started();
    cache.applyEvent(anId(1), newEvents(untouched, one)[0]!);
    expect(cache.cached(anId(1))).toBeUndefined();
  });

  test('asks on behalf of each who asks, and folds in the events that come meanwhile', async () => {
    const { cache, questions } = await started();
    cache.evict(nodeId);
    const [first, second] = [{ userId: 'a' }, { userId: 'b', disconnected: new AbortController().signal }];
    const answers = [cache.load(nodeId, first), cache.load(nodeId, second)];
    take(cache, newEvents(untouched, one));
    questions.answer(1, untouched);
    expect(await answers[0]).toMatchObject(E.right(shown(one)));
    take(cache, newEvents(one, two));
    questions.answer(2, untouched);
    expect(await answers[1]).toMatchObject(E.right(shown(two)));
    expect(questions.callers.slice(1)).toEqual([first, second]);
    expect(cache.cached(nodeId)).toMatchObject(shown(two));
  });

  test('passes on that a node could not be asked, and asks again the next time', async () => {
    const { cache, questions } = await started();
    cache.evict(nodeId);
    const answer = cache.load(nodeId);
    questions.answer(1, timedOut);
    expect(await answer).toEqual(E.left(timedOut));
    expect(cache.cached(nodeId)).toBeUndefined();
    void cache.load(nodeId);
    expect(questions.count()).toBe(3);
  });

  test.each<[name: string, forgets: (cache: ReadCache) => void]>([
    ['what it is told to forget', (cache) => cache.evict(nodeId)],
    ['everything', (cache) => cache.evictAll()],
    ['a node that was begun anew', (cache) => take(cache, newer(newEvents(untouched, anew)))],
  ])('forgets %s', async (_name, forgets) => {
    const { cache } = await started();
    forgets(cache);
    expect(cache.cached(nodeId)).toBeUndefined();
  });

  test.each<[name: string, forgets: (cache: ReadCache) => void]>([
    ['of one node', (cache) => cache.evict(nodeId)],
    ['of all', (cache) => cache.evictAll()],
  ])('remembers no answer to a question from before it was told to forget what it knows %s', async (_name, forgets) => {
    const { cache, questions } = await started();
    cache.evict(nodeId);
    const early = cache.load(nodeId);
    forgets(cache);
    const late = cache.load(nodeId);
    expect(questions.count()).toBe(3);
    questions.answer(1, one);
    expect(await early).toMatchObject(E.right(shown(one)));
    expect(cache.cached(nodeId)).toBeUndefined();
    questions.answer(2, two);
    expect(await late).toMatchObject(E.right(shown(two)));
    expect(cache.cached(nodeId)).toMatchObject(shown(two));
  });

  test('asks again where its answer is of another life of the node than the events that came meanwhile', async () => {
    const { cache, questions } = await started();
    cache.evict(nodeId);
    const answer = cache.load(nodeId);
    take(cache, newer(newEvents(untouched, anew)));
    questions.answer(1, two);
    await expect.poll(questions.count).toBe(3);
    questions.answer(2, anew);
    expect(await answer).toMatchObject(E.right(shown(anew)));
    expect(cache.cached(nodeId)).toBeUndefined();
  });

  test('forgets the node that nobody asked for the longest', async () => {
    const { cache, loaded } = await started(2);
    await loaded(anId(1), one);
    cache.cached(nodeId);
    await loaded(anId(2), one);
    expect([nodeId, anId(1), anId(2)].map((id) => cache.cached(id) !== undefined)).toEqual([true, false, true]);
  });

  test('forgets by reads alone: a node that nobody asks for leaves, however often it is written', async () => {
    const { cache, loaded } = await started(2);
    await loaded(anId(1), one);
    take(cache, newEvents(one, two)); // of the node that was loaded first
    await loaded(anId(2), one);
    expect([nodeId, anId(1), anId(2)].map((id) => cache.cached(id) !== undefined)).toEqual([false, true, true]);
  });
});

/** Events of a node that began after all others ended: ids rise with the time. */
const newer = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<StreamEvent> =>
  events.map((event, index) => ({ ...event, sequenceId: `7${String(index).padStart(25, '0')}` }));

/** The answer to a group that left `now`, and whose events, the last `count` of it, are alone unconfirmed. */
const receiptOf = ({ state, outbox }: Node, count: number): GroupReceipt => ({
  outcomes: [{ _tag: 'Applied', revision: state.revision }],
  unconfirmed: outbox.waiting.slice(-count),
});

const changes: ReadonlyArray<[name: string, sent: Sent]> = [
  ['a threshold', setThreshold(overall)],
  ['an external alarm', setExternalAlarm({ status: 4 })],
];
test.each(changes)('what this process acknowledges is known at once: %s', async (_name, sent) => {
  const { cache, questions } = await started();
  const now = nodeAfter([sent], one);
  cache.applyReceipt(nodeId, receiptOf(now, now.outbox.waiting.length));
  expect(cache.cached(nodeId)).toMatchObject(shown(now));
  expect(questions.count()).toBe(1);
});

describe('an event', () => {
  const cached = ({ state }: Node): CachedNode => cachedNodeOf(snapshotView(state));
  /** `node` after `events`; undefined once one of them did not follow. */
  const after = (node: CachedNode, events: ReadonlyArray<StreamEvent>): CachedNode | undefined =>
    events.reduce<CachedNode | undefined>((before, event) => before && applyEvent(before, event), node);

  test('that is not newer changes nothing', () => {
    expect(after(cached(two), newEvents(untouched, two))).toEqual(cached(two));
  });

  test('of a status is taken before the earlier threshold, which then changes the threshold alone', () => {
    const [set, status] = newEvents(untouched, nodeAfter([setThreshold(overall)]));
    expect(after(cached(untouched), [status!, set!])).toMatchObject({
      threshold: { revision: 1, threshold: overall },
      alarmStatus: { status: 1, overallAlarm: { status: 1 } },
    });
  });

  test('of a threshold states when the status was updated, where no status follows', () => {
    expect(newEvents(untouched, one)).toHaveLength(1);
    expect(after(cached(untouched), newEvents(untouched, one))?.alarmStatus).toEqual(alarmStatusView(one.state));
  });

  test.each<[name: string, revision: number | undefined]>([
    ['the same revision', 2],
    ['a lower one, of a node that was begun anew', 1],
    ['a greater one than the next', 4],
    ['none, from an early build', undefined],
  ])('of a newer threshold of %s does not follow', (_name, revision) => {
    const set = newEvents(one, two).find(({ type }) => type === 'SetPointAlarmThresholdEvent');
    const { revision: _, ...rest } = set as Extract<StreamEvent, { readonly type: 'SetPointAlarmThresholdEvent' }>;
    const event = { ...rest, sequenceId: 'Z'.repeat(26), ...(revision !== undefined && { revision }) };
    expect(applyEvent(cached(two), event as StreamEvent)).toBeUndefined();
    expect(applyEvent(cached(two), { ...event, revision: 3 })).toMatchObject({ threshold: { revision: 3 } });
  });
});

describe('a read', () => {
  /** Nodes that say `two`, a cache that loaded `one`, and a stream that was read to its end so long ago (ms). */
  const reading = async (behindMs: number) => {
    const { cache, questions } = await started();
    const nodes: PointAlarms = {
      send: () => TE.right({ _tag: 'Applied', revision: 7 }),
      threshold: () => TE.right({ value: revisedThreshold(two.state) }),
      alarmStatus: () => TE.right({ value: alarmStatusView(two.state) }),
    };
    const asOf = performance.now() - behindMs;
    return { cache, questions, reads: cachedReads(nodes, cache, () => asOf) };
  };

  test('is answered from cache, and says by how much it may be behind', async () => {
    const { reads } = await reading(500);
    const age: unknown = expect.closeTo(0.5, 0);
    expect(await reads.threshold(nodeId)()).toEqual(E.right({ value: shown(one).threshold, age }));
    expect(await reads.alarmStatus(nodeId)()).toEqual(E.right({ value: shown(one).alarmStatus, age }));
  });

  test.each<[name: string, behindMs: number, isFresh: boolean]>([
    ['the stream was not read to its end lately', 60_000, false],
    ['the caller wants it fresh', 0, true],
  ])('is answered by the node where %s', async (_name, behindMs, isFresh) => {
    const { reads } = await reading(behindMs);
    expect(await reads.threshold(nodeId, { isFresh })()).toEqual(E.right({ value: shown(two).threshold }));
    expect(await reads.alarmStatus(nodeId, { isFresh })()).toEqual(E.right({ value: shown(two).alarmStatus }));
  });

  test('is answered by the node where the stream was not read to its end lately, though the clock was set back', async () => {
    const { reads } = await reading(60_000);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await reads.alarmStatus(nodeId)()).toEqual(E.right({ value: shown(two).alarmStatus }));
  });

  test('of a node that is not remembered learns it', async () => {
    const { reads, questions, cache } = await reading(0);
    const answer = reads.threshold(anId(1))();
    await expect.poll(questions.count).toBe(2);
    questions.answer(1, two);
    expect(await answer).toEqual(E.right({ value: shown(two).threshold }));
    expect(cache.cached(anId(1))).toMatchObject(shown(two));
  });
});
