import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cachedReads, createReadCache } from '../../../../../api/nodes/read-cache';
import { createReads, views } from '../../../../../api/nodes/temporal/reads';
import type { Caller, PointAlarms } from '../../../../../api/ports';
import { createLog } from '../../../../../process/log';
import { newNode, snapshotView } from '../../../../../workflows/domain/node/state';
import { anId } from '../../../../support/scenario';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TRIP_MS = 40;

/** Reads, from the node or through the cache, of a server that answers each query after `TRIP_MS`; and the queries. */
const readsOf = (cached: boolean) => {
  const queried: string[] = [];
  const getHandle = (workflowId: string) => ({
    query: async () => {
      queried.push(workflowId);
      await new Promise((resolve) => setTimeout(resolve, TRIP_MS));
      return snapshotView(newNode(anId(1)).state);
    },
  });
  const log = createLog({ level: 'silent', process: 'test' });
  const read = createReads({ workflowsUntil: () => ({ getHandle }) as never, callDeadlineMs: 10_000, log });
  const ask = (nodeId: string, by?: Caller) => read(views.snapshot, nodeId, by);
  const threshold: PointAlarms['threshold'] = (nodeId, how) => async () =>
    E.map(({ threshold: value }: { threshold: never }) => ({ value }))((await ask(nodeId, how?.by)) as never);
  const nodes = { threshold } as PointAlarms;
  const port = cached ? cachedReads(nodes, createReadCache(ask, 10_000), () => performance.now()) : nodes;
  return { queried, get: (nodeId: string, by: Caller) => port.threshold(nodeId, { by })() };
};

test.each([
  ['from the nodes', false],
  ['through the cache', true],
])('one user with 1,500 reads %s takes nothing from another, who reads one after the other', async (_, cached) => {
  const { get } = readsOf(cached);
  const warm = Promise.all(Array.from({ length: 50 }, (__, index) => get(anId(index), { userId: 'a' })));
  await vi.advanceTimersByTimeAsync(5_000);
  await warm;
  for (let index = 0; index < 1_500; index += 1) void get(anId(1_000 + index), { userId: 'a' });
  let served = 0;
  const began = performance.now();
  const reading = (async () => {
    for (let index = 0; index < 40; index += 1)
      if (E.isRight(await get(anId(5_000 + index), { userId: 'b' }))) served += 1;
    return performance.now() - began;
  })();
  await vi.advanceTimersByTimeAsync(60_000);
  await reading;
  expect(served).toBe(40);
  expect(await reading).toBeLessThan(40 * 4 * TRIP_MS);
});

test('a read through the cache whose caller is gone is not sent', async () => {
  const { get, queried } = readsOf(true);
  const gone = new AbortController();
  const reads = Array.from({ length: 20 }, (_, index) => get(anId(index), { userId: 'a', disconnected: gone.signal }));
  const before = queried.length;
  gone.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await Promise.all(reads)).filter(E.isLeft)).toHaveLength(20 - before);
  expect(queried).toHaveLength(before);
});
