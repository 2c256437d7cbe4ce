import * as E from 'fp-ts/Either';
import { ErrorReply } from 'redis';
import { createLog } from '../process/log';
import { reasonOf } from '../process/reason-of';
import type { RedisSettings } from '../process/settings';
import { connectAnswering, type RedisLink } from '../stream/connection';
import type { Entry } from '../stream/entry';
import { pagesOf } from '../stream/follow';
import { newestPages } from '../stream/pages';
import { notReachable, unusable } from './failure';
import type { Surroundings } from './surroundings';

/** Where to begin. */
export type From =
  /** Behind the entry of this id. */
  | { readonly after: string }
  /** Some ms ago, by the clock of Redis. */
  | { readonly agoMs: number }
  /** With the newest so many entries, the oldest of these first; none of them is now. */
  | { readonly newest: number }
  /** With the newest so many entries, the newest first. */
  | { readonly newestFirst: number };

interface Followed {
  /** Entries from before it began, newest first. */
  readonly older: ReadonlyArray<Entry>;
  /** New entries, in order; none after a moment without any. */
  readonly entries: ReadonlyArray<Entry>;
  /** All entries that there were are received. */
  readonly isCurrent: boolean;
  /** Redis does not answer, so that more may be there. */
  readonly isUnavailable: boolean;
  /** Entries are left out that the stream has: older than the wanted ones. */
  readonly hasOlder: boolean;
}

const ANSWERS_WITHIN_MS = 3_000;
/** Errors that time does not heal. All others pass: a server starts, is replaced, or gave the stream to another of its cluster. */
const LASTING = /^(?:NOPERM|NOAUTH|WRONGPASS|WRONGTYPE)\b/u;

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
  let [isUnavailable, isCurrent, hasOlder] = [false, false, false];
  /** What a read brought; nothing while Redis does not answer, which it reports. */
  const brought = <A>(page: E.Either<unknown, A>): A | undefined => {
    if (E.isLeft(page) && page.left instanceof ErrorReply && LASTING.test(page.left.message)) throw page.left;
    if (E.isLeft(page) !== isUnavailable) {
      isUnavailable = !isUnavailable;
      report(isUnavailable ? 'Redis does not answer; trying again' : 'Redis answers again');
    }
    return E.isRight(page) ? page.right : undefined;
  };
  const followed = (own: Partial<Followed>): Followed => ({
    ...{ older: [], entries: [], isCurrent, isUnavailable, hasOlder },
    ...own,
  });
  try {
    let start = 'after' in from ? from.after : '0';
    if ('agoMs' in from) start = await idAgo(redis, from.agoMs);
    else if (!('after' in from)) {
      let left = 'newest' in from ? from.newest : from.newestFirst;
      for await (const page of newestPages(redis, stream, left + 1, signal)) {
        const entries = brought(page) ?? [];
        if ('newestFirst' in from && start === '0') start = entries[0]?.id ?? start;
        hasOlder = entries.length > left;
        if ('newest' in from && hasOlder) start = entries.at(-1)?.id ?? start;
        yield followed({ older: entries.slice(0, left) });
        left -= Math.min(left, entries.length);
      }
    }
    report(`following ${stream}, Ctrl-C ends it`);
    for await (const page of pagesOf(redis, stream, start, signal)) {
      const { entries, isFull } = brought(page) ?? { entries: [], isFull: true };
      isCurrent ||= !isFull;
      yield followed({ entries });
    }
  } catch (thrown) {
    throw thrown instanceof ErrorReply
      ? unusable(`The stream ${stream} cannot be read: ${thrown.message}`)
      : notReachable(redisAt(server), reasonOf(thrown));
  } finally {
    await redis.close();
  }
}

const idAgo = async ({ client }: RedisLink, ms: number): Promise<string> => {
  const [seconds] = await client.time();
  return `${Math.max(0, Number(seconds) * 1_000 - ms - 1)}`;
};

/** A connection to Redis that answers; undefined where Ctrl-C comes before. Errors: a `CommandFailure` where it does not answer. */
export const openRedis = async ({
  settings: { redis, EVENT_STREAM: stream },
  interrupted,
}: Surroundings): Promise<RedisLink | undefined> => {
  let why = 'no connection';
  const unavailable = (reason: string): void => void (why = reason);
  const connection = { ...redis, log: createLog({ level: 'silent', process: 'pas' }), name: 'pas', unavailable };
  const link = await connectAnswering(connection, ANSWERS_WITHIN_MS, stream, interrupted);
  if (link === undefined && !interrupted.aborted) throw notReachable(redisAt(redis), why);
  return link;
};

/** Where Redis is, for messages: without the password that a URL may hold. */
const redisAt = ({ url, sentinels, clusterNodes }: RedisSettings): string => {
  const places = sentinels?.addresses ?? clusterNodes;
  if (places === undefined) return `Redis at ${new URL(url).host}`;
  return `Redis by ${places.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
};
