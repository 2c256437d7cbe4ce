import * as E from 'fp-ts/Either';
import { backoffMs, pause } from '../process/backoff';
import { boundedText } from '../process/bounded-text';
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
export const createCall =
  (settings: ClientSettings) =>
  async <A>(ask: () => Ask, options: CallOptions, read: (reply: Reply) => E.Either<TryFailure, A>): Result<A> => {
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

/** The reply to one try. */
const send = async (settings: ClientSettings, request: Ask, step: Step): Promise<E.Either<TryFailure, Reply>> => {
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
      // A redirect is the answer of something else. To follow it could turn a write into a read.
      const answer = await fetch(url, { ...init, redirect: 'manual', signal: cut });
      const json = jsonOf(await boundedText(answer, MOST_BYTES));
      return { status: answer.status, header: (name: string) => answer.headers.get(name) ?? undefined, json };
    },
    (reason) => ({ _tag: 'NoAnswer', reason }),
  );
};

/** Bytes of an answer; those to a batch have 32 MiB at most. */
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

/** Does one step of a try. Errors: Aborted, or what `failed` makes of the reason. */
type Step = <A>(
  what: string,
  work: (cut: AbortSignal) => Promise<A>,
  failed: (reason: string) => TryFailure,
) => Promise<E.Either<TryFailure, A>>;

/**
 * A try whose steps end with `signal`, or after `ms` together. It has a controller of its own and removes what it registered: Node
 * 20 keeps memory for every signal that `AbortSignal.any` derives, and for every listener on one.
 */
const bounding =
  <A>(signal: AbortSignal, attempt: (step: Step) => Promise<E.Either<TryFailure, A>>) =>
  async (ms: number): Promise<E.Either<TryFailure, A>> => {
    const cut = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      cut.signal.addEventListener('abort', () => reject(new Error('it was cut off')));
    });
    ended.catch(() => undefined); // where no step waits
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

/** What each signal aborts. It has one listener: a signal may live as long as the process, and Node warns of more than ten. */
const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/** Aborts `cut` with `signal`, until it is released. */
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

/** Statuses after which a retry may succeed, of the service or of a proxy. */
const PASSING = [408, 429, 502, 503, 504];

/** Whether a retry may succeed. A write has a key, so that its repeat counts once. */
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
