import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { beforeDeadline } from '../before-deadline';
import type { Found, Outage, PointAlarms, ReadHow } from '../../ports';
import type { CachedNode } from './cached-node';
import type { ReadCache } from './read-cache';

export interface CachedReadsParts {
  readonly nodes: PointAlarms;
  readonly cache: ReadCache;
  /** Time (ms of `performance.now()`) up to which the stream's events are applied. */
  readonly currentAsOf: () => number;
  readonly callDeadlineMs: number;
}

/** Longest delay (ms) of a cached value; beyond it the node is read. */
const MOST_BEHIND_MS = 1_000;

/** `nodes` with reads from the cache while it is current; else, or where the caller wants that, from the node. */
export const cachedReads = ({ nodes, cache, currentAsOf, callDeadlineMs }: CachedReadsParts): PointAlarms => {
  const read =
    <A>(viewOf: (node: CachedNode) => A, ofNode: (nodeId: string, how?: ReadHow) => TE.TaskEither<Outage, Found<A>>) =>
    (nodeId: string, { isFresh = false, by }: ReadHow = {}): TE.TaskEither<Outage, Found<A>> =>
    async () => {
      const behind = performance.now() - currentAsOf();
      if (isFresh || behind > MOST_BEHIND_MS) return ofNode(nodeId, { by })();
      const cached = cache.cached(nodeId);
      if (cached !== undefined) return E.right({ value: viewOf(cached), age: behind / 1_000 });
      return pipe(
        beforeDeadline(callDeadlineMs, () => cache.load(nodeId)),
        TE.map((loaded) => ({ value: viewOf(loaded) })),
      )();
    };
  return {
    ...nodes,
    threshold: read(({ threshold }) => threshold, nodes.threshold),
    alarmStatus: read(({ alarmStatus }) => alarmStatus, nodes.alarmStatus),
  };
};
