import * as TE from 'fp-ts/TaskEither';
import * as jose from 'jose';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { type Outage, noAnswerOf } from '../ports';
import type { Log } from '../../process/log';
import { createKeySetReader } from './jwks';
import { watchFile } from '../../process/files/watched-file';
import { reasonOf } from '../../process/reason-of';
import { createReminder } from '../../process/reminder';

export interface KeySet {
  /** The keys that may have signed a token with this header: one, several or none. */
  readonly keysFor: (hint: jose.JWSHeaderParameters) => TE.TaskEither<Outage, ReadonlyArray<jose.CryptoKey>>;
  /** A number that changes whenever the keys change. Undefined during a fetch, and while there are no valid keys. */
  readonly version: () => number | undefined;
  /** Seconds since the keys were last fetched, or since the start if they never were; 0 for the keys of a file. */
  readonly age: () => number;
  readonly close: () => void;
}

/** The keys of a jose key set that fit a token's header. None if the key is unknown; an Outage if the set is unavailable. */
const fittingKeys =
  (select: () => (header: jose.JWSHeaderParameters) => Promise<jose.CryptoKey>): KeySet['keysFor'] =>
  (hint) =>
    TE.tryCatch(
      async () => {
        try {
          return [await select()(hint)];
        } catch (error) {
          if (error instanceof jose.errors.JWKSNoMatchingKey || error instanceof jose.errors.JOSENotSupported)
            return [];
          if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
          const found: jose.CryptoKey[] = [];
          for await (const key of error) found.push(key);
          return found;
        }
      },
      () => noAnswerOf('The key set', 5),
    );

/** Creates the key set of a file, which is re-read when it changes. Left: why the file cannot be read or is no key set. */
export const createFileKeySet = (path: string, log: Log): E.Either<string, KeySet> => {
  let versions = 0;
  const readKeys = createKeySetReader(log);
  const read = (text: string) =>
    pipe(
      readKeys(text),
      E.map((keys) => ({ select: jose.createLocalJWKSet({ keys: [...keys] }), version: (versions += 1) })),
    );
  return pipe(
    watchFile({ setting: 'AUTH_JWKS_FILE', path, read, log }),
    E.map(({ current, close }) => ({
      keysFor: fittingKeys(() => current().select),
      version: () => current().version,
      age: () => 0, // the file is watched, so its keys are always current
      close,
    })),
  );
};

interface RemoteKeySetOptions {
  readonly url: string;
  readonly log: Log;
  /** Interval (ms) between two fetches. A removed key is refused after about this time at most, or later if fetches fail. */
  readonly refreshMs?: number;
  /** Time (ms) after a fetch in which tokens of unknown keys cause no further fetch. */
  readonly cooldownMs: number;
  /** Time (ms) after a failed fetch in which no further fetch is tried. */
  readonly failureCooldownMs?: number;
  /** Validity (ms) of fetched keys. */
  readonly maxAgeMs: number;
}

const FETCH_TIMEOUT_MS = 3_000;
/** Interval (ms) between two fetches while they fail. Each failure may log its reason, at most once a minute. */
const RETRY_MS = 20_000;
const MOST_BYTES = 1_048_576;

/**
 * Creates the key set behind a URL. It is fetched at the start, every `refreshMs`, and when a token names an unknown key. If
 * fetches fail, the last fetched keys stay valid for `maxAgeMs`. Until then only tokens of unknown keys yield an Outage,
 * afterwards all tokens do.
 */
export const createRemoteKeySet = (options: RemoteKeySetOptions): KeySet => {
  const { url, log, refreshMs = 300_000, cooldownMs, failureCooldownMs = 5_000, maxAgeMs } = options;
  const fetched = createFetch(url, log, failureCooldownMs);
  const remote = jose.createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: cooldownMs,
    cacheMaxAge: maxAgeMs, // keys outlive a short outage of their URL
    [jose.customFetch]: fetched.fetch,
  });
  const refresh = (): void => void remote.reload().catch(() => undefined); // the fetch itself logs its failure
  refresh();
  const everyMs = Math.min(refreshMs, RETRY_MS);
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (fetched.fails() || ticks % Math.round(refreshMs / everyMs) === 0) refresh();
  }, everyMs).unref();
  return {
    keysFor: fittingKeys(() => remote),
    version: () => (remote.reloading || !remote.fresh ? undefined : fetched.version()),
    age: fetched.age,
    close: () => clearInterval(timer),
  };
};

/** Creates the fetch of a key set. Any answer without one is a failure. Logs an outage at once and each minute, and its end. */
const createFetch = (url: string, log: Log, failureCooldownMs: number) => {
  const read = createKeySetReader(log);
  let newest = '';
  let version = 0;
  let failedAt: number | undefined; // set while fetches fail
  let fetchedAt = performance.now();
  const reminder = createReminder();
  const fetchKeys: jose.FetchImplementation = async (resource, init) => {
    if (failedAt !== undefined && performance.now() - failedAt < failureCooldownMs)
      throw new Error('the key set could not be fetched just now');
    const keys = await fetchText(resource, init).then(read, (error: unknown) => E.left(reasonOf(error)));
    if (E.isLeft(keys)) {
      if (reminder.isDue()) log.error({ url, reason: keys.left }, 'the key set cannot be fetched');
      failedAt = performance.now();
      throw new Error(keys.left);
    }
    const text = JSON.stringify({ keys: keys.right });
    if (text !== newest) version += 1;
    newest = text;
    fetchedAt = performance.now();
    if (failedAt !== undefined) log.info('the key set can be fetched again');
    reminder.end();
    failedAt = undefined;
    return new Response(newest);
  };
  return {
    fetch: fetchKeys,
    fails: () => failedAt !== undefined,
    version: () => version,
    age: () => (performance.now() - fetchedAt) / 1_000,
  };
};

/** Fetches the text of a 200 answer of at most `MOST_BYTES` after decompression. Rejects on any other answer. */
const fetchText = async (url: string, init: RequestInit): Promise<string> => {
  const { status, body } = await fetch(url, init);
  if (status !== 200) {
    await body?.cancel(); // an unread body would keep the connection in use
    throw new Error(`it answers ${status}`);
  }
  const arriving: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = body ?? [];
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of arriving) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`it sends more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
};
