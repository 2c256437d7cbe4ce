import * as E from 'fp-ts/Either';
import { reasonOf } from '../process/reason-of';
import { boundedBy, exchange, type Reply, type Request } from './exchange';
import type { Failure, Reason } from './failure';
import type { CallOptions, ClientSettings, Result, ThresholdWriteOptions } from './interface';
import { createInFlight } from './in-flight';
import { withRetries, type Patience } from './with-retries';

/** The request of an operation; `path` is below `/v1/`, `body` is sent as JSON. Made anew for each call, which it may fail. */
export interface Ask {
  readonly method: Request['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = <A>(
  ask: () => Ask,
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

/** The calls of a client, with its token and with retries. Errors are values, also of what cannot be sent. */
export const createCall = (settings: ClientSettings): Call => {
  const { fetch = globalThis.fetch, onRetry } = settings;
  const patience = patienceOf(settings);
  const inFlight = createInFlight(settings.signal);
  return async <A>(ask: () => Ask, options: CallOptions, read: (reply: Reply) => E.Either<Reason, A>): Result<A> => {
    const asked = E.tryCatch(() => ({ ...withText(ask()), own: options.signal }), unsendable);
    if (E.isLeft(asked)) return E.left({ ...asked.left, mayHaveChanged: false });
    const { own, ...request } = asked.right;
    const writes = request.headers !== undefined && IDEMPOTENCY_KEY in request.headers;
    return inFlight(own, (signal) =>
      withRetries({ patience, writes, signal, onRetry }, async (ms) => {
        const bounded = boundedBy(ms, signal);
        const token = await bounded('token', () => tokenOf(settings), notSent);
        const sendable = E.chain((shown: string | undefined) =>
          E.tryCatch(() => requestOf(settings, request, shown), unsendable),
        )(token);
        return E.isLeft(sendable) ? sendable : E.chain(read)(await exchange(fetch, sendable.right, bounded));
      }),
    );
  };
};

const notSent = (reason: string): Reason => ({ _tag: 'NotSent', reason });
const unsendable = (error: unknown): Reason => notSent(reasonOf(error));

const tokenOf = async ({ token }: ClientSettings): Promise<string | undefined> => {
  try {
    return typeof token === 'function' ? await token() : token;
  } catch (cause) {
    throw new Error('no token', { cause });
  }
};

/** An ask with its body as JSON, the same for all tries. */
type AskInText = Omit<Ask, 'body'> & { readonly body?: string };

const withText = ({ body, ...ask }: Ask): AskInText => {
  if (body === undefined) return ask;
  const text = JSON.stringify(body) as string | undefined;
  if (text === undefined) throw new Error('the body cannot be written as JSON');
  return { ...ask, body: text };
};

const patienceOf = (settings: ClientSettings): Patience => ({
  tries: settings.tries ?? 4,
  tryMs: settings.tryMs ?? 15_000,
  retryForMs: settings.retryForMs ?? Infinity,
  deadlineMs: settings.deadlineMs ?? 30_000,
});

/** The request of a try. Throws where `fetch` would refuse it before anything is sent. */
const requestOf = ({ baseUrl, fetch }: ClientSettings, ask: AskInText, token: string | undefined): Request => {
  const { method, path, body, headers: own } = ask;
  const url = `${baseUrl.replace(/\/+$/u, '')}/v1/${path}`;
  const headers = {
    Accept: 'application/json, application/problem+json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...own,
  };
  new Headers(headers);
  if (fetch === undefined && !/^https?:/u.test(new globalThis.Request(baseUrl).url))
    throw new Error('the address of the API must be an http or https URL');
  return { method, url, headers, ...(body !== undefined && { body }) };
};
