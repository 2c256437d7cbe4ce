import * as E from 'fp-ts/Either';
import { ErrorReply } from 'redis';
import { createLog } from '../process/log';
import { reasonOf } from '../process/reason-of';
import type { RedisSettings } from '../process/settings';
import { connectAnswering, type RedisConnection } from '../stream/connection';
import type { Entry } from '../stream/entry';
import { pagesOf } from '../stream/follow-events';
import { newestPages } from '../stream/pages';
import { notReachable, unusable } from './failure';
import type { CommandContext } from './command-context';

/** Where in the stream `followStream` begins to read. */
export type From =
  /** Right after the entry with this id. */
  | { readonly after: string }
  /** With the entries that were appended this many ms ago or later, by the clock of Redis. */
  | { readonly agoMs: number }
  /** With this number of the newest entries, the oldest of them first; 0 begins with the next new entry. */
  | { readonly newest: number }
  /** With this number of the newest entries, the newest of them first; the new entries follow. */
  | { readonly newestFirst: number };

interface StreamRead {
  /**
   * Entries that the stream held at the start, newest first; none if `From` is `after` or `agoMs`. If `From` is `newest`, they
   * come again in `entries`, oldest first.
   */
  readonly older: ReadonlyArray<Entry>;
  /** Entries in the order of the stream; empty if a read brought none. */
  readonly entries: ReadonlyArray<Entry>;
  /** Whether reading has reached the end of the stream at least once. */
  readonly isCurrent: boolean;
  /** True while Redis does not answer; the stream may then hold newer entries. */
  readonly isUnavailable: boolean;
  /** Whether the stream holds more entries than `newest` or `newestFirst` asks for; false with `after` and `agoMs`. */
  readonly hasOlder: boolean;
}

const ANSWERS_WITHIN_MS = 3_000;
/** Matches errors of Redis that no retry cures. Other errors may pass, for example while a server starts. */
const LASTING = /^(?:NOPERM|NOAUTH|WRONGPASS|WRONGTYPE)\b/u;

/** Reads the stream until Ctrl-C, and goes on after outages. Errors: throws a `CommandFailure` if it cannot begin or go on. */
export async function* followStream(
  context: CommandContext,
  from: From,
  report: (line: string) => void,
): AsyncGenerator<StreamRead> {
  const { settings, interrupted: signal } = context;
  const { redis: server, EVENT_STREAM: stream } = settings;
  const redis = await openRedis(context);
  if (redis === undefined) return;
  let [isUnavailable, isCurrent, hasOlder] = [false, false, false];
  /** The result of a read, or undefined if it failed. Reports the begin and end of an outage. Errors: throws lasting errors. */
  const entriesOf = <A>(page: E.Either<unknown, A>): A | undefined => {
    if (E.isLeft(page) && page.left instanceof ErrorReply && LASTING.test(page.left.message)) throw page.left;
    if (E.isLeft(page) !== isUnavailable) {
      isUnavailable = !isUnavailable;
      report(isUnavailable ? 'Redis does not answer; trying again' : 'Redis answers again');
    }
    return E.isRight(page) ? page.right : undefined;
  };
  const streamRead = (own: Partial<StreamRead>): StreamRead => ({
    older: [],
    entries: [],
    isCurrent,
    isUnavailable,
    hasOlder,
    ...own,
  });
  try {
    let start = 'after' in from ? from.after : '0';
    if ('agoMs' in from) start = await idAgo(redis, from.agoMs);
    else if (!('after' in from)) {
      let left = 'newest' in from ? from.newest : from.newestFirst;
      for await (const page of newestPages(redis, stream, left + 1, signal)) {
        const entries = entriesOf(page) ?? [];
        if ('newestFirst' in from && start === '0') start = entries[0]?.id ?? start;
        hasOlder = entries.length > left;
        if ('newest' in from && hasOlder) start = entries.at(-1)?.id ?? start;
        yield streamRead({ older: entries.slice(0, left) });
        left -= Math.min(left, entries.length);
      }
    }
    report(`following ${stream}, Ctrl-C ends it`);
    for await (const page of pagesOf(redis, stream, start, signal)) {
      const { entries, isFull } = entriesOf(page) ?? { entries: [], isFull: true };
      isCurrent ||= !isFull;
      yield streamRead({ entries });
    }
  } catch (thrown) {
    throw thrown instanceof ErrorReply
      ? unusable(`The stream ${stream} cannot be read: ${thrown.message}`)
      : notReachable(redisAt(server), reasonOf(thrown));
  } finally {
    await redis.close();
  }
}

const idAgo = async ({ client }: RedisConnection, ms: number): Promise<string> => {
  const [seconds] = await client.time();
  return `${Math.max(0, Number(seconds) * 1_000 - ms - 1)}`;
};

/** A connection to Redis, or undefined when Ctrl-C comes first. Errors: a `CommandFailure` when Redis does not answer. */
export const openRedis = async ({
  settings: { redis, EVENT_STREAM: stream },
  interrupted,
}: CommandContext): Promise<RedisConnection | undefined> => {
  let why = 'no connection';
  const unavailable = (reason: string): void => void (why = reason);
  const connection = { ...redis, log: createLog({ level: 'silent', process: 'pas' }), name: 'pas', unavailable };
  const link = await connectAnswering(connection, ANSWERS_WITHIN_MS, stream, interrupted);
  if (link === undefined && !interrupted.aborted) throw notReachable(redisAt(redis), why);
  return link;
};

/** The address of Redis for messages, without the password that a URL may hold. */
const redisAt = ({ url, sentinels, clusterNodes }: RedisSettings): string => {
  const places = sentinels?.addresses ?? clusterNodes;
  if (places === undefined) return `Redis at ${new URL(url).host}`;
  return `Redis by ${places.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
};
