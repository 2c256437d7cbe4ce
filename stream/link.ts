import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import type { Log } from '../process/log';
import { backoffMs } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import { createReminder } from '../process/reminder';
import type { Place } from '../process/settings/codecs';
import type { RedisSettings } from '../process/settings/redis-settings';
import { within } from '../process/within';

export type RedisClient = ReturnType<typeof newClient>;

export interface LinkSettings extends Pick<RedisSettings, 'url' | 'tls'> {
  readonly log: Log;
  readonly name: string;
  /** Called for every connection that was made. */
  readonly connected?: () => void;
  /** Called with the reason when Redis becomes unavailable, and each minute while it is. */
  readonly unavailable?: (reason: string) => void;
}

/** Those who know which server is the primary. */
export interface Primaries {
  /** Where it is now; rejects where nobody knows. */
  readonly find: () => Promise<Place>;
  readonly close: () => Promise<unknown>;
}

/** A connection to Redis that comes back by itself. */
export interface RedisLink {
  /**
   * The connection of now, another one after each loss: take it anew for each command. Its commands fail at once while
   * Redis is unavailable, and within `SILENCE_MS` and a ping when it hangs.
   */
  readonly client: RedisClient;
  /** Whether Redis answers, within two seconds. */
  readonly answers: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Time between two pings, and time without an answer after which the connection is given up. */
const PING_EVERY_MS = 500;
const SILENCE_MS = 2_000;
/** Between two tries to connect. */
const PAUSES = { firstMs: 50, longestMs: 1_000 };

/**
 * Connects to Redis and keeps connecting; it does not wait for the first time. Without `primaries` it calls the server of the URL,
 * else the primary that they name, which it makes sure of. The client's own socket time-out counts writes as life, so that it
 * never ends a connection to a server that hangs (docs/contributing/how-it-works.md, "Following Redis' primary"): hence pings.
 */
export const openLink = (link: LinkSettings, primaries?: Primaries): RedisLink => {
  const held = { client: newClient(link) };
  const closing = new AbortController();
  const kept = keepConnected(held, link, primaries?.find, closing.signal);
  return {
    get client() {
      return held.client;
    },
    answers: () =>
      pings(held.client).then(
        () => true,
        () => false,
      ),
    close: async () => {
      closing.abort();
      const primariesClosed = primaries?.close();
      const { client } = held;
      await within(SILENCE_MS, client.isReady ? client.close() : Promise.resolve()).catch(() => undefined);
      giveUp(client);
      await Promise.all([kept, primariesClosed]);
    },
  };
};

/**
 * Each error of a client also rejects what waits for it. A command has no time-out of its own: that covers only what is not yet
 * written, which ends with the connection, and took more processor time than the command.
 */
export const newClient = ({ url, tls, name }: Omit<LinkSettings, 'log'>, place?: Place) =>
  createClient({
    url: place === undefined ? url : urlAt(url, place),
    name,
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: false,
      ...(tls !== undefined && { tls: true, ...tls }),
    },
  }).on('error', () => undefined);

/** The URL with the host and port of `place`; its user, password and database stay. */
export const urlAt = (url: string, { host, port }: Place): string => {
  const placed = new URL(url);
  placed.hostname = host.includes(':') ? `[${host}]` : host;
  placed.port = String(port);
  return placed.href;
};

const keepConnected = async (
  held: { client: RedisClient },
  link: LinkSettings,
  find: Primaries['find'] | undefined,
  closing: AbortSignal,
): Promise<void> => {
  const { log, connected, unavailable } = link;
  const isClosing = (): boolean => closing.aborted;
  let wasAvailable: boolean | undefined;
  const reminder = createReminder();
  for (let tries = 0; !isClosing(); tries += 1) {
    try {
      const place = await find?.();
      if (isClosing()) return;
      held.client = newClient(link, place);
      await within(2 * SILENCE_MS, held.client.connect());
      if (place !== undefined) await ensurePrimary(held.client);
      connected?.();
      if (wasAvailable !== true) log.info({ ...place }, 'redis is available');
      wasAvailable = true;
      reminder.end();
      tries = 0;
      await untilUnfit(held.client, closing, place, find);
    } catch (error) {
      if (isClosing()) return;
      if (reminder.isDue()) {
        const reason = reasonOf(error);
        log.warn({ reason }, 'redis is unavailable');
        unavailable?.(reason);
      }
      wasAvailable = false;
    }
    if (isClosing()) return; // closing waits for what is in flight
    giveUp(held.client);
    await pause(backoffMs(PAUSES, tries), closing);
  }
};

/** Fails all that waits for the connection. The client does so even where it then throws that it was closed already. */
const giveUp = (client: RedisClient): void => {
  try {
    client.destroy();
  } catch {
    return;
  }
};

/** Looks after the connection until it is of no use: it rejects with the reason. */
const untilUnfit = async (client: RedisClient, closing: AbortSignal, place?: Place, find?: Primaries['find']) => {
  while (!closing.aborted) {
    if (place === undefined || find === undefined) await pings(client);
    else await Promise.all([ensurePrimary(client), ensureStillAt(place, find)]);
    await pause(PING_EVERY_MS, closing);
  }
};

const pings = (client: RedisClient): Promise<unknown> => within(SILENCE_MS, client.ping());

const ensurePrimary = async (client: RedisClient): Promise<void> => {
  const found = await within(SILENCE_MS, client.role());
  if (found?.role !== 'master') throw new Error(`the server is no primary: its role is ${String(found?.role)}`);
};

/** Where nobody knows a primary, the one of now stays. */
const ensureStillAt = async ({ host, port }: Place, find: Primaries['find']): Promise<void> => {
  const now = await find().catch(() => undefined);
  if (now !== undefined && (now.host !== host || now.port !== port))
    throw new Error(`the primary is now ${now.host}:${now.port}`);
};

const pause = (ms: number, closing: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
