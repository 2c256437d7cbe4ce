import * as E from 'fp-ts/Either';
import { ErrorReply } from 'redis';
import { createLog } from '../process/log';
import { reasonOf } from '../process/reason-of';
import type { RedisSettings } from '../process/settings';
import { connectAnswering, type RedisLink } from '../stream/connection';
import type { Entry } from '../stream/entry';
import { pagesOf } from '../stream/follow';
import { notReachable, unusable } from './failure';
import type { Surroundings } from './surroundings';

/** Where to begin: the id of the last entry that is not wanted. */
export type From = (redis: RedisLink, stream: string) => Promise<string>;

/** Some ms ago, by the clock of Redis. */
export const ago =
  (ms: number): From =>
  async ({ client }) => {
    const [seconds] = await client.time();
    return `${Math.max(0, Number(seconds) * 1_000 - ms - 1)}`;
  };

/** With the newest `count` entries; none of them is now. */
export const newest =
  (count: number): From =>
  async ({ client }, stream) => {
    const entries = (await client.xRevRange(stream, '+', '-', { COUNT: count + 1 })) ?? [];
    return entries.length <= count ? '0' : (entries.at(-1)?.id ?? '0');
  };

interface Followed {
  /** New entries, in order; none after a moment without any. */
  readonly entries: ReadonlyArray<Entry>;
  /** All entries that there were are received. */
  readonly isCurrent: boolean;
}

const ANSWERS_WITHIN_MS = 3_000;
/** Errors of a server that starts, is replaced, or gave the stream to another one of its cluster. */
const PASSING = /^(?:LOADING|MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/u;

/**
 * Follows the stream, across outages of Redis, until Ctrl-C. Errors: it throws a `CommandFailure` where it cannot begin or
 * continue.
 */
export async function* followStream(
  surroundings: Surroundings,
  from: From,
  report: (line: string) => void,
): AsyncGenerator<Followed> {
  const { settings, interrupted: signal } = surroundings;
  const { redis: server, EVENT_STREAM: stream } = settings;
  const redis = await openRedis(surroundings);
  if (redis === undefined) return;
  try {
    const start = await from(redis, stream);
    report(`following ${stream}, Ctrl-C ends it`);
    let isCurrent = false;
    let isUnavailable = false;
    for await (const page of pagesOf(redis, stream, start, signal)) {
      if (E.isLeft(page) && page.left instanceof ErrorReply && !PASSING.test(page.left.message)) throw page.left;
      if (E.isLeft(page) !== isUnavailable) {
        isUnavailable = !isUnavailable;
        report(isUnavailable ? 'Redis does not answer; trying again' : 'Redis answers again');
      }
      const { entries, isFull } = E.isRight(page) ? page.right : { entries: [], isFull: true };
      isCurrent ||= !isFull;
      yield { entries, isCurrent };
    }
  } catch (thrown) {
    throw thrown instanceof ErrorReply
      ? unusable(`The stream ${stream} cannot be read: ${thrown.message}`)
      : notReachable(redisAt(server), reasonOf(thrown));
  } finally {
    await redis.close();
  }
}

/** A connection to Redis that answers; undefined where Ctrl-C comes before. Errors: a `CommandFailure` where it does not answer. */
export const openRedis = async ({
  settings: { redis, EVENT_STREAM: stream },
  interrupted,
}: Surroundings): Promise<RedisLink | undefined> => {
  const connection = { ...redis, log: createLog({ level: 'silent', process: 'pas' }), name: 'pas' };
  const link = await connectAnswering(connection, ANSWERS_WITHIN_MS, stream, interrupted);
  if (link === undefined && !interrupted.aborted) throw notReachable(redisAt(redis), 'no connection');
  return link;
};

/** Where Redis is, for messages: without the password that a URL may hold. */
const redisAt = ({ url, sentinels, clusterNodes }: RedisSettings): string => {
  const places = sentinels?.addresses ?? clusterNodes;
  if (places === undefined) return `Redis at ${new URL(url).host}`;
  return `Redis by ${places.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
};
