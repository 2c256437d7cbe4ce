import * as E from 'fp-ts/Either';
import type { Log } from '../../../process/log';
import type { SendGroup } from '../node-queue';
import type { PointAlarms } from '../../ports';
import { followEvents, type StreamReader } from '../../../stream/follow-events';
import { partitionStreams } from '../../../stream/partitions';
import { createReadCache, type ReadCacheSettings } from './read-cache';
import { cachedReads } from './cached-reads';

export interface ReadCacheParts {
  /** A connection to each partition, of its own: a read that waits blocks it. */
  readonly links: ReadonlyArray<{ readonly client: StreamReader }>;
  readonly stream: string;
  readonly partitions: number;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  readonly ask: ReadCacheSettings['ask'];
  readonly nodes: number;
  readonly callDeadlineMs: number;
  readonly log: Log;
}

export interface RunningReadCache {
  /** `send`, which reports to the cache what it acknowledges. */
  readonly reporting: (send: SendGroup) => SendGroup;
  /** `nodes` with cached reads. */
  readonly reading: (nodes: PointAlarms) => PointAlarms;
  readonly close: () => Promise<void>;
}

/** Follows the stream from now on, and answers reads from its events (docs/reliability.md). */
export const startReadCache = ({ ask, nodes, callDeadlineMs, links, ...source }: ReadCacheParts): RunningReadCache => {
  const cache = createReadCache({ ask, nodes });
  const following = partitionStreams(source).flatMap((stream, at) => {
    const redis = links[at];
    return redis === undefined
      ? []
      : [followEvents({ ...source, redis, stream, take: cache.take, missed: cache.evictAll })];
  });
  const currentAsOf = (): number => Math.min(...following.map((one) => one.currentAsOf()));
  return {
    reporting: (send) => async (nodeId, commands, until) => {
      const sent = await send(nodeId, commands, until);
      if (E.isRight(sent.answer)) cache.committed(nodeId, sent.answer.right);
      else cache.evict(nodeId);
      return sent;
    },
    reading: (port) => cachedReads({ nodes: port, cache, currentAsOf, callDeadlineMs }),
    close: async () => {
      await Promise.all(following.map((one) => one.close()));
    },
  };
};
