import * as E from 'fp-ts/Either';
import type { ProblemType } from '../api/http/problems/catalogue';
import { backoffMs, pause } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import type { CallOptions, ClientSettings, Failure, Result, TryFailure } from './interface';

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

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * The calls of a client, with its token and with retries. `ask` gives the request of a call, the same for all tries. Errors are
 * values: what `ask` throws is a failure `NotSent`.
 */
export const createCall = (settings: ClientSettings) => {
  const { fetch = globalThis.fetch } = settings;
  const inFlight = createInFlight(settings.signal);
  return async <A>(
    ask: () => Ask,
    options: CallOptions,
    read: (reply: Reply) => E.Either<TryFailure, A>,
  ): Result<A> => {
    const asked = E.tryCatch(ask, unsendable);
    if (E.isLeft(asked)) return E.left({ ...asked.left, mayHaveChanged: false });
    const request = asked.right;
    const writes = request.headers !== undefined && IDEMPOTENCY_KEY in request.headers;
    return inFlight(options.signal, (signal) =>
      withRetries(settings, { writes, signal }, async (ms) => {
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

/** Bounds the steps of one try, to `ms` together. Errors of a step: Aborted, or what `failed` makes of the reason. */
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
 * Calls that `all` aborts, or each one its own signal. `all` may live as long as the process: Node warns of many listeners, and Node
 * 20 keeps memory for every signal that `AbortSignal.any` derives from it. So there is one listener.
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

/** The longest time (ms) that a timer takes; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

const PAUSES = { firstMs: 100, longestMs: 5_000 };

/** The final result of `attempt`, which gets its time limit (ms): retried after what passes, not before `Retry-After`. */
const withRetries = async <A>(
  { tries: most = 4, tryMs = 15_000, retryForMs = Infinity, deadlineMs = 30_000, onRetry }: ClientSettings,
  { writes, signal }: { readonly writes: boolean; readonly signal: AbortSignal },
  attempt: (ms: number) => Promise<E.Either<TryFailure, A>>,
): Promise<E.Either<Failure, A>> => {
  const began = performance.now();
  const until = began + deadlineMs;
  const lastBegin = Math.min(began + retryForMs, until);
  let mayHaveChanged = false;
  for (let tries = 1; ; tries += 1) {
    if (signal.aborted) return E.left({ _tag: 'Aborted', mayHaveChanged });
    const ms = Math.min(tryMs, until - performance.now(), LONGEST_MS);
    const done = await attempt(Math.max(1, Math.ceil(ms)));
    if (E.isRight(done)) return done;
    const failure = done.left;
    mayHaveChanged ||= writes && isUnsure(failure);
    const left = lastBegin - performance.now();
    const asked = 'retryAfter' in failure ? (failure.retryAfter ?? 0) * 1_000 : 0;
    // Jittered, since the service asks many of them for the same second.
    const jittered = asked + Math.max((Math.random() * asked) / 2, backoffMs(PAUSES, tries - 1));
    const wait = asked > 0 && jittered >= left ? asked : Math.min(jittered, LONGEST_MS);
    if (!isPassing(failure) || tries >= most || wait >= left) return E.left({ ...failure, mayHaveChanged });
    E.tryCatch(() => onRetry?.(failure, wait), E.toError);
    await pause(wait, signal);
  }
};

/** Whether a write that failed so may have changed its node. */
const isUnsure = (failure: TryFailure): boolean =>
  failure._tag === 'Problem' ? (failure.body.mayHaveChanged ?? failure.body.status >= 500) : failure._tag !== 'NotSent';

const PASSING_PROBLEMS: ReadonlyArray<ProblemType | 'other'> = [
  'request-timeout',
  'too-many-requests',
  'unavailable',
  'timeout',
];
const PASSING_STATUSES = [429, 502, 503, 504];

/** Whether a retry may succeed. A write has a key, so that its repeat counts once. */
const isPassing = (failure: TryFailure): boolean =>
  failure._tag === 'NoAnswer' ||
  (failure._tag === 'Problem' && PASSING_PROBLEMS.includes(failure.type)) ||
  (failure._tag === 'StrangeAnswer' && PASSING_STATUSES.includes(failure.status));
