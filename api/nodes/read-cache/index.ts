import * as E from 'fp-ts/Either';
import type { Log } from '../../../process/log';
import type { SendGroup } from '../node-queue';
import type { PointAlarms } from '../../ports';
import { followEvents, type StreamReader } from '../../../stream/follow-events';
import { createReadCache, type ReadCacheSettings } from './read-cache';
import { cachedReads } from './cached-reads';

export interface ReadCacheParts {
  /** A connection of its own: a read that waits blocks it. */
  readonly redis: { readonly client: StreamReader };
  readonly stream: string;
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
export const startReadCache = ({ ask, nodes, callDeadlineMs, ...source }: ReadCacheParts): RunningReadCache => {
  const cache = createReadCache({ ask, nodes });
  const following = followEvents({ ...source, take: cache.take, missed: cache.evictAll });
  return {
    reporting: (send) => async (nodeId, commands, until) => {
      const sent = await send(nodeId, commands, until);
      if (E.isRight(sent.answer)) cache.committed(nodeId, sent.answer.right);
      else cache.evict(nodeId);
      return sent;
    },
    reading: (port) => cachedReads({ nodes: port, cache, currentAsOf: following.currentAsOf, callDeadlineMs }),
    close: following.close,
  };
};
