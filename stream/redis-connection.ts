import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import type { Log } from '../process/log';
import { backoffMs } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import { createReminder } from '../process/reminder';
import type { HostPort } from '../process/settings/codecs';
import type { RedisSettings } from '../process/settings/redis-settings';
import { withTimeout } from '../process/timeout';

export type RedisClient = ReturnType<typeof newClient>;

export interface RedisConnectionSettings extends Pick<RedisSettings, 'url' | 'tls'> {
  readonly log: Log;
  readonly name: string;
  /** Called for every connection that was made. */
  readonly connected?: () => void;
  /** Called with the reason when Redis becomes unavailable, and again each minute until it is available. */
  readonly unavailable?: (reason: string) => void;
}

/** The sentinels or cluster nodes, which are asked where the primary is. */
export interface Primaries {
  /** The address of the primary. Rejects if no sentinel or cluster node knows it. */
  readonly find: () => Promise<HostPort>;
  readonly close: () => Promise<unknown>;
}

/** A connection to Redis that reconnects by itself. */
export interface RedisConnection {
  /**
   * The current connection. After each loss a new client replaces it, so read this property anew for each command. While Redis
   * is unavailable, commands fail at once. If Redis hangs, they fail after at most `SILENCE_MS` plus `PING_EVERY_MS`, or up
   * to 500 ms later if a sentinel or a cluster node hangs, too.
   */
  readonly client: RedisClient;
  /** Whether Redis answers a ping within two seconds. */
  readonly answers: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** `PING_EVERY_MS`: pause between two pings. `SILENCE_MS`: if a ping has no answer for so long, the connection is closed. */
const PING_EVERY_MS = 500;
const SILENCE_MS = 2_000;
/** Pauses (ms) between two tries to connect. */
const PAUSES = { firstMs: 50, longestMs: 1_000 };

/**
 * Connects to Redis in the background, and reconnects after each loss. With `primaries` it connects to the server that
 * sentinels or cluster nodes name, and checks its role; otherwise to the server of the URL. It also pings: the client's own
 * socket timeout begins anew with each write, and so misses a server that hangs (docs/contributing/how-it-works.md, "Following
 * Redis' primary").
 */
export const openRedisConnection = (settings: RedisConnectionSettings, primaries?: Primaries): RedisConnection => {
  const current = { client: newClient(settings) };
  const closing = new AbortController();
  const reconnecting = reconnectUntilClosed(current, settings, primaries?.find, closing.signal);
  return {
    get client() {
      return current.client;
    },
    answers: () =>
      ping(current.client).then(
        () => true,
        () => false,
      ),
    close: async () => {
      closing.abort();
      const primariesClosed = primaries?.close();
      const { client } = current;
      await withTimeout(SILENCE_MS, client.isReady ? client.close() : Promise.resolve()).catch(() => undefined);
      destroyClient(client);
      await Promise.all([reconnecting, primariesClosed]);
    },
  };
};

/**
 * The error handler is empty, because each error also rejects the commands that wait. The client's timeout per command is off.
 * It covers only unwritten commands, which fail with the connection anyway, and costs more processor time than a command.
 */
export const newClient = ({ url, tls, name }: Omit<RedisConnectionSettings, 'log'>, place?: HostPort) =>
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

/** The URL with the host and port of `place`. User, password and database stay those of `url`. */
export const urlAt = (url: string, { host, port }: HostPort): string => {
  const placed = new URL(url);
  placed.hostname = host.includes(':') ? `[${host}]` : host;
  placed.port = String(port);
  return placed.href;
};

const reconnectUntilClosed = async (
  current: { client: RedisClient },
  settings: RedisConnectionSettings,
  find: Primaries['find'] | undefined,
  closing: AbortSignal,
): Promise<void> => {
  const { log, connected, unavailable } = settings;
  const isClosing = (): boolean => closing.aborted;
  let wasAvailable: boolean | undefined;
  const reminder = createReminder();
  for (let tries = 0; !isClosing(); tries += 1) {
    try {
      const place = await find?.();
      if (isClosing()) return;
      current.client = newClient(settings, place);
      await withTimeout(2 * SILENCE_MS, current.client.connect());
      if (place !== undefined) await ensurePrimary(current.client);
      connected?.();
      if (wasAvailable !== true) log.info({ ...place }, 'redis is available');
      wasAvailable = true;
      reminder.end();
      tries = 0;
      await watchConnection(current.client, closing, place, find);
    } catch (error) {
      if (isClosing()) return;
      if (reminder.isDue()) {
        const reason = reasonOf(error);
        log.warn({ reason }, 'redis is unavailable');
        unavailable?.(reason);
      }
      wasAvailable = false;
    }
    // While closing, the client is left to `close`, which waits for the commands in flight.
    if (isClosing()) return;
    destroyClient(current.client);
    await pause(backoffMs(PAUSES, tries), closing);
  }
};

/** Closes the connection, so that all waiting commands fail. They fail even if `destroy` throws for a closed client. */
const destroyClient = (client: RedisClient): void => {
  try {
    client.destroy();
  } catch {
    return;
  }
};

/** Checks the connection every `PING_EVERY_MS`. Rejects with the reason once the connection cannot be used any more. */
const watchConnection = async (
  client: RedisClient,
  closing: AbortSignal,
  place?: HostPort,
  find?: Primaries['find'],
) => {
  while (!closing.aborted) {
    if (place === undefined || find === undefined) await ping(client);
    else await Promise.all([ensurePrimary(client), ensureStillAt(place, find)]);
    await pause(PING_EVERY_MS, closing);
  }
};

const ping = (client: RedisClient): Promise<unknown> => withTimeout(SILENCE_MS, client.ping());

const ensurePrimary = async (client: RedisClient): Promise<void> => {
  const found = await withTimeout(SILENCE_MS, client.role());
  if (found?.role !== 'master') throw new Error(`the server is no primary: its role is ${String(found?.role)}`);
};

/** Rejects if the primary is now at another address. If no sentinel or cluster node knows the primary, the connection stays. */
const ensureStillAt = async ({ host, port }: HostPort, find: Primaries['find']): Promise<void> => {
  const now = await find().catch(() => undefined);
  if (now !== undefined && (now.host !== host || now.port !== port))
    throw new Error(`the primary is now ${now.host}:${now.port}`);
};

const pause = (ms: number, closing: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
