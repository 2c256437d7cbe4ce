import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import type { Log } from './log';
import { within } from './within';

export type RedisClient = ReturnType<typeof newClient>;

/** A connection to Redis that comes back by itself. */
export interface RedisLink {
  /** Its commands fail at once while Redis is away, and within `SILENCE_MS` and a ping when it hangs. */
  readonly client: RedisClient;
  /** Whether Redis answers, within two seconds. */
  readonly answers: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Time between two pings, time without an answer after which the connection is given up, longest time between two tries. */
const PING_EVERY_MS = 500;
const SILENCE_MS = 2_000;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Connects to Redis at `url` and keeps connecting; it does not wait for the first time.
 *
 * The client's own socket time-out counts writes as life, so under load it never ends a connection to a server that hangs
 * (docs/reliability.md, "Redis"): hence the pings, and the client without a reconnect strategy.
 */
export const connectRedis = (link: { readonly url: string; readonly log: Log; readonly name: string }): RedisLink => {
  const client = newClient(link.url, link.name);
  client.on('error', () => undefined); // each one also rejects what waits for it
  const closing = new AbortController();
  const kept = keepConnected(client, link.log, closing.signal);
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
      destroy(client);
      await kept;
    },
  };
};

/** Also where the server went while the client was closing: only this fails the commands that still wait then. */
const destroy = (client: RedisClient): void => {
  try {
    client.destroy();
  } catch {
    // It was closed already; what waited has failed by now.
  }
};

const newClient = (url: string, name: string) =>
  createClient({
    url,
    name,
    disableOfflineQueue: true,
    socket: { connectTimeout: SILENCE_MS, socketTimeout: SILENCE_MS, reconnectStrategy: false },
  });

const keepConnected = async (client: RedisClient, log: Log, closing: AbortSignal): Promise<void> => {
  let wasAway: boolean | undefined;
  for (let tries = 0; !closing.aborted; tries += 1) {
    try {
      await within(2 * SILENCE_MS, client.connect());
      if (wasAway !== false) log.info('redis answers');
      wasAway = false;
      tries = 0;
      await untilSilent(client, closing);
    } catch (error) {
      if (closing.aborted) return;
      if (wasAway !== true) log.warn({ reason: reasonOf(error) }, 'redis is away');
      wasAway = true;
    }
    destroy(client);
    await pause(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** tries) * (0.5 + Math.random() / 2), closing);
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

/** An error of several addresses at once has no message of its own. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(reasonOf).join('; ')
    : error instanceof Error
      ? error.message
      : 'unknown';
