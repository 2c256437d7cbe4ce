import * as E from 'fp-ts/Either';
import { exchange, type Reply, type Request } from './exchange';
import type { Failure, Reason } from './failure';
import type { CallOptions, ClientSettings, Result, ThresholdWriteOptions } from './interface';
import { createInFlight } from './in-flight';
import { withRetries, type Patience } from './with-retries';

/** The request of an operation; `path` is below `/v1/`, `body` is sent as JSON. */
export interface Ask {
  readonly method: Request['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = <A>(
  ask: Ask,
  options: CallOptions,
  read: (reply: Reply) => E.Either<Reason, A>,
) => Promise<E.Either<Failure, A>>;

const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The headers of a write: only a write with a key can be retried. */
export const written = ({
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
}: ThresholdWriteOptions): Readonly<Record<string, string>> => ({
  [IDEMPOTENCY_KEY]: idempotencyKey ?? crypto.randomUUID(),
  ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
});

/** The calls of a client, with its token and with retries. */
export const createCall = (settings: ClientSettings): Call => {
  const { fetch = globalThis.fetch, onRetry } = settings;
  const patience = patienceOf(settings);
  const inFlight = createInFlight(settings.signal);
  return <A>(ask: Ask, options: CallOptions, read: (reply: Reply) => E.Either<Reason, A>): Result<A> =>
    inFlight(options.signal, (signal) => {
      const writes = ask.headers !== undefined && IDEMPOTENCY_KEY in ask.headers;
      return withRetries({ patience, writes, signal, onRetry }, async (ms) =>
        E.chain(read)(await exchange(fetch, await requestOf(settings, ask), ms, signal)),
      );
    });
};

const patienceOf = (settings: ClientSettings): Patience => ({
  tries: settings.tries ?? 4,
  tryMs: settings.tryMs ?? 15_000,
  retryForMs: settings.retryForMs ?? Infinity,
  deadlineMs: settings.deadlineMs ?? 30_000,
});

const requestOf = async ({ baseUrl, token }: ClientSettings, ask: Ask): Promise<Request> => {
  const { method, path, body, headers } = ask;
  const shown = typeof token === 'function' ? await token() : token;
  return {
    method,
    url: `${baseUrl.replace(/\/+$/u, '')}/v1/${path}`,
    headers: {
      Accept: 'application/json, application/problem+json',
      ...(shown !== undefined && { Authorization: `Bearer ${shown}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
};
