import * as E from 'fp-ts/Either';
import { backoffMs, pause } from '../process/backoff';
import { boundedText } from '../process/bounded-text';
import { reasonOf } from '../process/reason-of';
import type { CallOptions, ClientSettings, Failure, Result, TryFailure } from './interface';

/** The HTTP request of a client's method. `path` is relative to `/v1/`, `body` is JSON text. */
export interface HttpRequest {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP response. `json` is its parsed body, or undefined if the body is not JSON. */
export interface HttpReply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly json: unknown;
}

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * Returns the function that makes a client's calls, with the client's token and with retries. `ask` builds the request of a
 * call once, and every try sends this request. If `ask` throws, the call fails with `NotSent`.
 */
export const createCall =
  (settings: ClientSettings) =>
  async <A>(
    ask: () => HttpRequest,
    options: CallOptions,
    read: (reply: HttpReply) => E.Either<TryFailure, A>,
  ): Result<A> => {
    const asked = E.tryCatch(ask, unsendable);
    if (E.isLeft(asked)) return E.left({ ...asked.left, mayHaveChanged: false });
    const request = asked.right;
    const writes = request.headers !== undefined && IDEMPOTENCY_KEY in request.headers;
    const call = new AbortController();
    const { signal } = call;
    const releases = [settings.signal, options.signal].map((one) => follow(one, call));
    try {
      const attempt = bounding(signal, async (step) => E.chain(read)(await send(settings, request, step)));
      return await withRetries(settings, { writes, signal }, attempt);
    } finally {
      for (const release of releases) release();
    }
  };

const send = async (
  settings: ClientSettings,
  request: HttpRequest,
  step: Step,
): Promise<E.Either<TryFailure, HttpReply>> => {
  const { fetch = globalThis.fetch } = settings;
  const token = await step('token', () => tokenOf(settings), notSent);
  const sendable = E.chain((shown: string | undefined) =>
    E.tryCatch(() => requestOf(settings, request, shown), unsendable),
  )(token);
  if (E.isLeft(sendable)) return sendable;
  const [url, init] = sendable.right;
  return step(
    'answer',
    async (cut) => {
      // The service never redirects, so a redirect comes from another server. Following it could turn a write into a read.
      const answer = await fetch(url, { ...init, redirect: 'manual', signal: cut });
      const json = jsonOf(await boundedText(answer, MOST_BYTES));
      return { status: answer.status, header: (name: string) => answer.headers.get(name) ?? undefined, json };
    },
    (reason) => ({ _tag: 'NoAnswer', reason }),
  );
};

/** Size limit (bytes) of an answer. By default the service's largest answer, to a batch of nodes, has at most 32 MiB. */
const MOST_BYTES = 64 * 1_048_576;

const notSent = (reason: string): TryFailure => ({ _tag: 'NotSent', reason });
const unsendable = (error: unknown): TryFailure => notSent(reasonOf(error));

const tokenOf = async ({ token }: ClientSettings): Promise<string | undefined> => {
  try {
    return typeof token === 'function' ? await token() : token;
  } catch (cause) {
    throw new Error('no token', { cause });
  }
};

/** The URL and the `fetch` options of one try. Throws for input that `fetch` would refuse before it sends anything. */
const requestOf = ({ baseUrl, fetch }: ClientSettings, ask: HttpRequest, token: string | undefined) => {
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

/** Runs one step of a try, such as getting the token. Errors: Aborted, or the failure that `failed` makes of a reason. */
type Step = <A>(
  what: string,
  work: (cut: AbortSignal) => Promise<A>,
  failed: (reason: string) => TryFailure,
) => Promise<E.Either<TryFailure, A>>;

/**
 * Turns `attempt` into a try whose steps end when `signal` aborts, or after `ms` in total. Each try has its own controller and
 * removes its listeners at the end, because Node 20 keeps memory for every signal that `AbortSignal.any` derives, and for every
 * listener on a signal.
 */
const bounding =
  <A>(signal: AbortSignal, attempt: (step: Step) => Promise<E.Either<TryFailure, A>>) =>
  async (ms: number): Promise<E.Either<TryFailure, A>> => {
    const cut = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      cut.signal.addEventListener('abort', () => reject(new Error('it was cut off')));
    });
    ended.catch(() => undefined); // a rejection that no step awaits must not count as unhandled
    const step: Step = async (what, work, failed) => {
      try {
        return E.right(await Promise.race([work(cut.signal), ended]));
      } catch (error) {
        if (signal.aborted) return E.left({ _tag: 'Aborted' });
        return E.left(failed(cut.signal.aborted ? `no ${what} within ${ms} ms` : reasonOf(error)));
      }
    };
    const timer = setTimeout(() => cut.abort(), ms);
    const release = follow(signal, cut);
    try {
      return await attempt(step);
    } finally {
      clearTimeout(timer);
      release();
    }
  };

/** The controllers that each signal aborts, through one shared listener, because Node warns of a signal with 11 listeners. */
const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/** Aborts `cut` when `signal` aborts, until the returned function is called. */
const follow = (signal: AbortSignal | undefined, cut: AbortController): (() => void) => {
  if (signal === undefined) return () => undefined;
  const cuts = followers.get(signal) ?? new Set();
  if (!followers.has(signal)) {
    followers.set(signal, cuts);
    signal.addEventListener('abort', () => {
      for (const one of cuts) one.abort();
    });
  }
  cuts.add(cut);
  if (signal.aborted) cut.abort();
  return () => void cuts.delete(cut);
};

/** Longest time (ms) that `setTimeout` can wait. With a longer time it would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

const PAUSES = { firstMs: 100, longestMs: 5_000 };

/** Repeats `attempt`, which gets its time limit (ms), while a retry may help and tries and time remain. Obeys `Retry-After`. */
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
    // Add a random time to the pause, since the service may ask many clients to come back in the same second.
    const jittered = asked + Math.max((Math.random() * asked) / 2, backoffMs(PAUSES, tries - 1));
    const wait = asked > 0 && jittered >= left ? asked : Math.min(jittered, LONGEST_MS);
    if (!isPassing(failure) || tries >= most || wait >= left) return E.left({ ...failure, mayHaveChanged });
    E.tryCatch(() => onRetry?.(failure, wait), E.toError);
    await pause(wait, signal);
  }
};

/** Whether a write may have changed its node although it failed with `failure`. */
const isUnsure = (failure: TryFailure): boolean =>
  failure._tag === 'Problem' ? (failure.body.mayHaveChanged ?? failure.body.status >= 500) : failure._tag !== 'NotSent';

/** HTTP statuses, of the service or of a proxy, after which a retry may succeed. */
const PASSING = [408, 429, 502, 503, 504];

/** Whether a retry may succeed after `failure`. A repeated write takes effect once, because it has an idempotency key. */
const isPassing = (failure: TryFailure): boolean => {
  switch (failure._tag) {
    case 'NoAnswer':
      return true;
    case 'Problem':
      return PASSING.includes(failure.body.status);
    case 'StrangeAnswer':
      return PASSING.includes(failure.status);
    default:
      return false;
  }
};
