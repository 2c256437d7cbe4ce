import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import type * as E from 'fp-ts/Either';
import { createLog } from '../process/log';
import type { RedisSettings } from '../process/settings';
import { connectRedis, type RedisLink } from '../stream/connection';
import { readEntry, type EntryFields } from '../stream/entry';
import type { StreamEvent } from '../workflows/domain/node/events';
import { CommandFailure, notReachable, unusable } from './failure';
import type { Surroundings } from './surroundings';

/** An entry of the stream: its event, or what is wrong with it. */
export interface Entry {
  readonly id: string;
  readonly event: E.Either<string, StreamEvent>;
}

/** Where to begin: now, behind an entry, some ms ago, or with the newest `count` entries. */
export type From =
  | { readonly _tag: 'Now' }
  | { readonly _tag: 'Behind'; readonly id: string }
  | { readonly _tag: 'Ago'; readonly ms: number }
  | { readonly _tag: 'Newest'; readonly count: number };

interface Following {
  readonly from: From;
  /** Called once Redis answers, before anything is read. */
  readonly onBegin?: () => void;
  readonly report: (line: string) => void;
  /**
   * Receives new entries, in order; an empty list after half a second without any. `isCurrent` once all that there were are
   * received. False ends the following.
   */
  readonly onEntries: (entries: ReadonlyArray<Entry>, isCurrent: boolean) => boolean;
}

const BLOCK_MS = 500;
/** Entries read at once, at most. */
const PAGE = 1_000;
const PAUSE_MS = 250;
const ANSWERS_WITHIN_MS = 3_000;
/** Errors of a server that starts, is replaced, or gave the stream to another one of its cluster. */
const PASSING = /^(?:LOADING|MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/u;

/**
 * Follows the stream, across outages of Redis, until Ctrl-C. Errors: it throws a `CommandFailure` where it cannot begin or
 * continue.
 */
export const followStream = (surroundings: Surroundings, following: Following): Promise<void> =>
  withRedis(surroundings, async (link) => {
    const { redis, EVENT_STREAM: stream } = surroundings.settings;
    try {
      const start = await startOf(link, stream, following.from);
      following.onBegin?.();
      await follow(link, start, surroundings, following);
    } catch (thrown) {
      if (!(thrown instanceof Error) || thrown instanceof CommandFailure) throw thrown;
      throw thrown instanceof ErrorReply
        ? unusable(`The stream ${stream} cannot be read: ${thrown.message}`)
        : notReachable(redisAt(redis), thrown.message);
    }
  });

/** Does `work` once Redis answers, unless Ctrl-C comes before. Errors: it throws a `CommandFailure` where Redis does not. */
export const withRedis = async (
  { settings: { redis, EVENT_STREAM: stream }, interrupted }: Surroundings,
  work: (link: RedisLink) => Promise<void>,
): Promise<void> => {
  const link = connectRedis({ ...redis, log: createLog({ level: 'silent', process: 'pas' }), name: 'pas' }, stream);
  const end = performance.now() + ANSWERS_WITHIN_MS;
  try {
    while (!(await link.answers())) {
      if (interrupted.aborted) return;
      if (performance.now() >= end) throw notReachable(redisAt(redis), 'no connection');
      await sleep(50);
    }
    await work(link);
  } finally {
    await link.close();
  }
};

/** Where Redis is, for messages: without the password that a URL may hold. */
const redisAt = ({ url, sentinels, clusterNodes }: RedisSettings): string => {
  const places = sentinels?.addresses ?? clusterNodes;
  if (places === undefined) return `Redis at ${new URL(url).host}`;
  return `Redis by ${places.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
};

/** The id of the last entry that is not wanted. */
const startOf = async ({ client }: RedisLink, stream: string, from: From): Promise<string> => {
  switch (from._tag) {
    case 'Behind':
      return from.id;
    case 'Ago': {
      const [seconds] = await client.time();
      return `${Math.max(0, Number(seconds) * 1_000 - from.ms - 1)}`;
    }
    case 'Now':
    case 'Newest': {
      const count = from._tag === 'Now' ? 1 : from.count + 1;
      const newest = (await client.xRevRange(stream, '+', '-', { COUNT: count })) ?? [];
      return newest.length < count ? '0' : (newest[newest.length - 1]?.id ?? '0');
    }
  }
};

const follow = async (
  link: RedisLink,
  start: string,
  { settings: { EVENT_STREAM: stream }, interrupted }: Surroundings,
  { report, onEntries }: Following,
): Promise<void> => {
  let last = start;
  let isCurrent = false;
  let isUnavailable = false;
  while (!interrupted.aborted) {
    const page = await readPage(link, stream, last).catch((error: unknown) => {
      if (error instanceof ErrorReply && !PASSING.test(error.message)) throw error;
      return undefined;
    });
    if ((page === undefined) !== isUnavailable) {
      isUnavailable = page === undefined;
      report(isUnavailable ? 'Redis does not answer; trying again' : 'Redis answers again');
    }
    if (page === undefined) await sleep(PAUSE_MS);
    last = page?.[page.length - 1]?.id ?? last;
    isCurrent ||= page !== undefined && page.length < PAGE;
    if (!onEntries(page ?? [], isCurrent)) return;
  }
};

const readPage = async ({ client }: RedisLink, stream: string, last: string): Promise<ReadonlyArray<Entry>> => {
  const reply: XReadReply = await client.xRead({ key: stream, id: last }, { COUNT: PAGE, BLOCK: BLOCK_MS });
  return (reply?.[0]?.messages ?? []).map(({ id, message }) => ({ id, event: readEntry(message) }));
};

/** What the client answers; its own types leave it open. */
type XReadReply = ReadonlyArray<{
  readonly messages: ReadonlyArray<{ readonly id: string; readonly message: EntryFields }>;
}> | null;
