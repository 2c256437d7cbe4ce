import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import * as E from 'fp-ts/Either';
import { createLog } from '../../process/log';
import { connectStream, type RedisLink } from '../../stream/connection';
import { COUNT_FIELD, partitionStreams, publishedKey } from '../../stream/partitions';
import type { RedisSettings } from '../../process/settings';
import { readEntry, type EntryFields } from '../../stream/entry';
import type { StreamEvent } from '../../workflows/domain/events/event';
import { notReachable, unusable, type CommandFailure } from '../command-failure';
import { answersSoon, redisAt } from './stream-links';

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

export interface Following {
  readonly redis: RedisSettings;
  readonly stream: string;
  readonly partitions: number;
  readonly from: From;
  readonly signal: AbortSignal;
  /** Called once Redis answers, before anything is read. */
  readonly onBegin?: () => void;
  readonly report: (line: string) => void;
  /**
   * Receives new entries of one partition, in order; an empty list after half a second without any. `isCurrent` once the
   * entries of every partition were received. False ends the following.
   */
  readonly onEntries: (entries: ReadonlyArray<Entry>, isCurrent: boolean) => boolean;
}

const BLOCK_MS = 500;
/** Entries read at once, at most. */
const PAGE = 1_000;
const PAUSE_MS = 250;
/** Errors of a server that starts, is replaced, or gave the stream to another one of its cluster. */
const PASSING = /^(?:LOADING|MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/u;

/** Follows the stream, across outages of Redis, until `signal` aborts. Left: why it could not begin or continue. */
export const followStream = async (following: Following): Promise<E.Either<CommandFailure, void>> => {
  const { redis, signal } = following;
  const links = connectStream({
    ...redis,
    ...following,
    log: createLog({ level: 'silent', process: 'pas' }),
    name: 'pas',
  });
  try {
    if (!(await answersSoon(links, signal)))
      return signal.aborted ? E.right(undefined) : E.left(notReachable(redisAt(redis), 'no connection'));
    const count = await links.root.client.hGet(publishedKey(following.stream), COUNT_FIELD);
    if (count !== null && count !== String(following.partitions))
      return E.left(unusable(`The stream ${following.stream} has "${count}" partitions: set EVENT_STREAM_PARTITIONS`));
    const starts = await Promise.all(
      partitionStreams(following).map(async (stream, at) => {
        const link = links.links[at] ?? links.root;
        return { stream, link, start: await startOf(link, stream, following) };
      }),
    );
    following.onBegin?.();
    await followAll(starts, following);
    return E.right(undefined);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return E.left(
      thrown instanceof ErrorReply
        ? unusable(`The stream ${following.stream} cannot be read: ${thrown.message}`)
        : notReachable(redisAt(redis), thrown.message),
    );
  } finally {
    await links.close();
  }
};

/** The id of the last entry that is not wanted. */
const startOf = async ({ client }: RedisLink, stream: string, { from, partitions }: Following): Promise<string> => {
  switch (from._tag) {
    case 'Behind':
      return from.id;
    case 'Ago': {
      const [seconds] = await client.time();
      return `${Math.max(0, Number(seconds) * 1_000 - from.ms - 1)}`;
    }
    case 'Now':
    case 'Newest': {
      const count = from._tag === 'Now' ? 1 : Math.ceil(from.count / partitions) + 1;
      const newest = (await client.xRevRange(stream, '+', '-', { COUNT: count })) ?? [];
      return newest.length < count ? '0' : (newest[newest.length - 1]?.id ?? '0');
    }
  }
};

/** Where one partition is read from. */
interface Start {
  readonly stream: string;
  readonly link: RedisLink;
  readonly start: string;
}

const followAll = async (starts: ReadonlyArray<Start>, following: Following): Promise<void> => {
  const ended = new AbortController();
  const signal = AbortSignal.any([following.signal, ended.signal]);
  const behind = new Set(starts);
  const take = (start: Start, entries: ReadonlyArray<Entry> | undefined): boolean => {
    if (entries !== undefined && entries.length < PAGE) behind.delete(start);
    return !ended.signal.aborted && following.onEntries(entries ?? [], behind.size === 0);
  };
  await Promise.all(
    starts.map(async (start) => {
      try {
        await follow(start, { ...following, signal }, (entries) => take(start, entries));
      } finally {
        ended.abort();
      }
    }),
  );
};

const follow = async (
  { link, stream, start }: Start,
  { signal, report }: Following,
  take: (entries: ReadonlyArray<Entry> | undefined) => boolean,
): Promise<void> => {
  let last = start;
  let isUnavailable = false;
  while (!signal.aborted) {
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
    if (!take(page)) return;
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
