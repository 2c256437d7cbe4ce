import * as E from 'fp-ts/Either';
import { exchange, type Reply, type Request } from './exchange';
import type { Failure, Reason } from './failure';
import type { CallOptions, ClientSettings, Result, ThresholdWriteOptions } from './interface';
import { withRetries, type Patience } from './with-retries';

/** What an operation asks for; `path` is below `/v1/`, `body` goes as JSON. */
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

/** The headers of a write: without a key it could not be tried again. */
export const written = ({ idempotencyKey, ifMatch }: ThresholdWriteOptions): Readonly<Record<string, string>> => ({
  [IDEMPOTENCY_KEY]: idempotencyKey ?? crypto.randomUUID(),
  ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
});

/** How the operations of a client call: with its token, and again where that helps. */
export const createCall = ({ baseUrl, token, fetch = globalThis.fetch, ...settings }: ClientSettings): Call => {
  const patience: Patience = {
    tries: settings.tries ?? 4,
    tryMs: settings.tryMs ?? 15_000,
    deadlineMs: settings.deadlineMs ?? 30_000,
  };
  const root = baseUrl.replace(/\/+$/u, '');
  return <A>(ask: Ask, { signal }: CallOptions, read: (reply: Reply) => E.Either<Reason, A>): Result<A> => {
    const { method, path, body, headers = {} } = ask;
    return withRetries(patience, IDEMPOTENCY_KEY in headers, signal, async (ms) => {
      const request: Request = {
        method,
        url: `${root}/v1/${path}`,
        headers: {
          Accept: 'application/json, application/problem+json',
          Authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      return E.chain(read)(await exchange(fetch, request, ms, signal));
    });
  };
};
