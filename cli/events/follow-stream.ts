import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import * as E from 'fp-ts/Either';
import { createLog } from '../../process/log';
import { connectRedis, type RedisLink } from '../../stream/connection';
import type { RedisSettings } from '../../process/settings';
import { readEvent, type EntryFields } from '../../workflows/domain/events/read-event';
import type { StreamEvent } from '../../workflows/domain/events/event';
import { notReachable, unusable, type CommandFailure } from '../command-failure';

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
  readonly from: From;
  readonly signal: AbortSignal;
  /** Called once Redis answers, before anything is read. */
  readonly onBegin?: () => void;
  readonly report: (line: string) => void;
  /** Receives new entries in order; an empty list after half a second without any. False ends the following. */
  readonly onEntries: (entries: ReadonlyArray<Entry>) => boolean;
}

const BLOCK_MS = 500;
/** Entries read at once, at most. */
export const PAGE = 1_000;
const ANSWERS_WITHIN_MS = 3_000;
const PAUSE_MS = 250;

/** Follows the stream, across outages of Redis, until `signal` aborts. Left: why it could not begin or continue. */
export const followStream = async (following: Following): Promise<E.Either<CommandFailure, void>> => {
  const { redis, signal } = following;
  const link = connectRedis({ ...redis, log: createLog({ level: 'silent', process: 'pas' }), name: 'pas' });
  try {
    if (!(await answersSoon(link, signal)))
      return signal.aborted ? E.right(undefined) : E.left(notReachable(redisAt(redis), 'no connection'));
    const start = await startOf(link, following);
    following.onBegin?.();
    await follow(link, following, start);
    return E.right(undefined);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return E.left(
      thrown instanceof ErrorReply
        ? unusable(`The stream ${following.stream} cannot be read: ${thrown.message}`)
        : notReachable(redisAt(redis), thrown.message),
    );
  } finally {
    await link.close();
  }
};

/** Without the password that a URL may hold. */
const redisAt = ({ url }: RedisSettings): string => `Redis at ${new URL(url).host}`;

const answersSoon = async (link: RedisLink, signal: AbortSignal): Promise<boolean> => {
  const end = performance.now() + ANSWERS_WITHIN_MS;
  while (!signal.aborted && performance.now() < end) {
    if (await link.answers()) return true;
    await sleep(50);
  }
  return false;
};

/** The id of the last entry that is not wanted. */
const startOf = async ({ client }: RedisLink, { stream, from }: Following): Promise<string> => {
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

const follow = async (link: RedisLink, following: Following, start: string): Promise<void> => {
  const { stream, signal, onEntries, report } = following;
  let last = start;
  let isUnavailable = false;
  while (!signal.aborted) {
    const page = await readPage(link, stream, last).catch((error: unknown) => {
      if (error instanceof ErrorReply && !error.message.startsWith('LOADING')) throw error;
      return undefined;
    });
    if ((page === undefined) !== isUnavailable) {
      isUnavailable = page === undefined;
      report(isUnavailable ? 'Redis does not answer; trying again' : 'Redis answers again');
    }
    if (page === undefined) await sleep(PAUSE_MS);
    last = page?.[page.length - 1]?.id ?? last;
    if (!onEntries(page ?? [])) return;
  }
};

const readPage = async ({ client }: RedisLink, stream: string, last: string): Promise<ReadonlyArray<Entry>> => {
  const reply: XReadReply = await client.xRead({ key: stream, id: last }, { COUNT: PAGE, BLOCK: BLOCK_MS });
  return (reply?.[0]?.messages ?? []).map(({ id, message }) => ({ id, event: readEvent(message) }));
};

/** What the client answers; its own types leave it open. */
type XReadReply = ReadonlyArray<{
  readonly messages: ReadonlyArray<{ readonly id: string; readonly message: EntryFields }>;
}> | null;
