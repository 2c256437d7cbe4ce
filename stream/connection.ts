import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import type { Log } from '../process/log';
import { backoffMs } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import type { RedisSettings } from '../process/settings';
import { within } from '../process/within';

export type RedisClient = ReturnType<typeof newClient>;

export interface LinkSettings extends RedisSettings {
  readonly log: Log;
  readonly name: string;
  /** Called for every connection that was made. */
  readonly connected?: () => void;
}

/** A connection to Redis that comes back by itself. */
export interface RedisLink {
  /** Its commands fail at once while Redis is unavailable, and within `SILENCE_MS` and a ping when it hangs. */
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
 * Connects to Redis and keeps connecting; it does not wait for the first time.
 *
 * The client's own socket time-out counts writes as life, so under load it never ends a connection to a server that hangs
 * (docs/reliability.md, "Redis"): hence the pings, and the client without a reconnect strategy.
 */
export const connectRedis = (link: LinkSettings): RedisLink => {
  const client = newClient(link);
  client.on('error', () => undefined); // each one also rejects what waits for it
  const closing = new AbortController();
  const kept = keepConnected(client, link, closing.signal);
  return {
    client,
    answers: () =>
      pings(client).then(
        () => true,
        () => false,
      ),
    close: async () => {
      closing.abort();
      await within(SILENCE_MS, client.isReady ? client.close() : Promise.resolve()).catch(() => undefined);
      giveUp(client);
      await kept;
    },
  };
};

const newClient = ({ url, tls, name }: Pick<LinkSettings, 'url' | 'tls' | 'name'>) =>
  createClient({
    url,
    name,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: false,
      ...(tls !== undefined && { tls: true, ...tls }),
    },
  });

const keepConnected = async (
  client: RedisClient,
  { log, connected }: LinkSettings,
  closing: AbortSignal,
): Promise<void> => {
  const isClosing = (): boolean => closing.aborted;
  let wasAvailable: boolean | undefined;
  for (let tries = 0; !isClosing(); tries += 1) {
    try {
      await within(2 * SILENCE_MS, client.connect());
      connected?.();
      if (wasAvailable !== true) log.info('redis is available');
      wasAvailable = true;
      tries = 0;
      await untilSilent(client, closing);
    } catch (error) {
      if (isClosing()) return;
      if (wasAvailable !== false) log.warn({ reason: reasonOf(error) }, 'redis is unavailable');
      wasAvailable = false;
    }
    if (isClosing()) return; // closing waits for what is in flight
    giveUp(client);
    await pause(backoffMs(PAUSES, tries), closing);
  }
};

/** Fails all that waits for the connection. The client fails it even when it then says that it was closed already. */
const giveUp = (client: RedisClient): void => {
  try {
    client.destroy();
  } catch {
    return;
  }
};

/** Pings until one fails: it rejects with the reason. */
const untilSilent = async (client: RedisClient, closing: AbortSignal): Promise<void> => {
  while (!closing.aborted) {
    await pings(client);
    await pause(PING_EVERY_MS, closing);
  }
};

const pings = (client: RedisClient): Promise<unknown> => within(SILENCE_MS, client.ping());

const pause = (ms: number, closing: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
