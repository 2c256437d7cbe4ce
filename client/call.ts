import * as E from 'fp-ts/Either';
import { reasonOf } from '../process/reason-of';
import type { CallOptions, ClientSettings, TryFailure, Result } from './interface';
import { withRetries } from './with-retries';

/** The request of an operation; `path` is below `/v1/`, `body` is JSON. */
export interface Ask {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP response; `json` is undefined where the body is no JSON. */
export interface Reply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly json: unknown;
}

/** Makes a call. `ask` gives its request, the same for all tries; what it throws is a failure `NotSent`. */
export type Call = <A>(
  ask: () => Ask,
  options: CallOptions,
  read: (reply: Reply) => E.Either<TryFailure, A>,
) => Result<A>;

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The calls of a client, with its token and with retries. Errors are values, also of what cannot be sent. */
export const createCall = (settings: ClientSettings): Call => {
  const { fetch = globalThis.fetch } = settings;
  const inFlight = createInFlight(settings.signal);
  return async (ask, options, read) => {
    const asked = E.tryCatch(ask, unsendable);
    if (E.isLeft(asked)) return E.left({ ...asked.left, mayHaveChanged: false });
    const request = asked.right;
    const writes = request.headers !== undefined && IDEMPOTENCY_KEY in request.headers;
    return inFlight(options.signal, (signal) =>
      withRetries({ ...settings, writes, signal }, async (ms) => {
        const bounded = boundedBy(ms, signal);
        const token = await bounded('token', () => tokenOf(settings), notSent);
        const sendable = E.chain((shown: string | undefined) =>
          E.tryCatch(() => requestOf(settings, request, shown), unsendable),
        )(token);
        if (E.isLeft(sendable)) return sendable;
        const [url, init] = sendable.right;
        const reply = await bounded(
          'answer',
          async (cut) => {
            const answer = await fetch(url, { ...init, redirect: 'error', signal: cut });
            const json = jsonOf(await answer.text());
            return { status: answer.status, header: (name: string) => answer.headers.get(name) ?? undefined, json };
          },
          (reason) => ({ _tag: 'NoAnswer', reason }),
        );
        return E.chain(read)(reply);
      }),
    );
  };
};

const notSent = (reason: string): TryFailure => ({ _tag: 'NotSent', reason });
const unsendable = (error: unknown): TryFailure => notSent(reasonOf(error));

const tokenOf = async ({ token }: ClientSettings): Promise<string | undefined> => {
  try {
    return typeof token === 'function' ? await token() : token;
  } catch (cause) {
    throw new Error('no token', { cause });
  }
};

/** Address and request of a try. Throws where `fetch` would refuse it before anything is sent. */
const requestOf = ({ baseUrl, fetch }: ClientSettings, ask: Ask, token: string | undefined) => {
  const { method, path, body, headers: own } = ask;
  const headers = {
    Accept: 'application/json, application/problem+json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...own,
  };
  new Headers(headers);
  if (fetch === undefined && !/^https?:/u.test(new Request(baseUrl).url))
    throw new Error('the address of the API must be an http or https URL');
  const url = `${baseUrl.replace(/\/+$/u, '')}/v1/${path}`;
  return [url, { method, headers, ...(body !== undefined && { body }) }] as const;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Bounds the steps of one try: together they take at most `ms`. A step does `work`, which `signal` and the time limit cut off.
 * Its errors: Aborted, or what `failed` makes of the reason.
 */
const boundedBy = (ms: number, signal: AbortSignal) => {
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([signal, deadline]);
  return async <A>(
    what: string,
    work: (cut: AbortSignal) => Promise<A>,
    failed: (reason: string) => TryFailure,
  ): Promise<E.Either<TryFailure, A>> => {
    try {
      return E.right(await Promise.race([work(either), endOf(either)]));
    } catch (error) {
      if (signal.aborted) return E.left({ _tag: 'Aborted' });
      return E.left(failed(deadline.aborted ? `no ${what} within ${ms} ms` : reasonOf(error)));
    }
  };
};

const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => {
      reject(new Error('it was cut off'));
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });

/**
 * Calls that `all` aborts, or each one its own signal.
 *
 * Decision: one listener and no `AbortSignal.any` at `all`, which may live as long as the process: Node warns of many
 *           listeners, and Node 20 keeps memory for every derived signal until its source is collected.
 */
const createInFlight = (all: AbortSignal | undefined) => {
  const calls = new Set<AbortController>();
  all?.addEventListener('abort', () => {
    for (const call of calls) call.abort();
  });
  return async <A>(own: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<A>): Promise<A> => {
    const call = new AbortController();
    if (all?.aborted === true) call.abort();
    calls.add(call);
    try {
      return await work(own === undefined ? call.signal : AbortSignal.any([call.signal, own]));
    } finally {
      calls.delete(call);
    }
  };
};
