import * as E from 'fp-ts/Either';
import { reasonOf } from '../process/reason-of';
import type { Reason } from './failure';

/** An HTTP request; `body` is text of `mediaType`. */
export interface Request {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An HTTP response; `json` is undefined where the body is no JSON. */
export interface Reply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly json: unknown;
}

export type Fetch = typeof globalThis.fetch;

/** Does `work`, which `signal` and the time limit of a try cut off. Errors: Aborted, or what `failed` makes of the reason. */
export type Bounded = <A>(
  what: string,
  work: (signal: AbortSignal) => Promise<A>,
  failed: (reason: string) => Reason,
) => Promise<E.Either<Reason, A>>;

/** Bounds the steps of one try: together they take at most `ms`. */
export const boundedBy = (ms: number, signal: AbortSignal): Bounded => {
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([signal, deadline]);
  return async (what, work, failed) => {
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

/** One exchange. Errors: NoAnswer, Aborted. */
export const exchange = (
  fetch: Fetch,
  { method, url, headers, body }: Request,
  bounded: Bounded,
): Promise<E.Either<Reason, Reply>> =>
  bounded(
    'answer',
    async (signal) => {
      const init = { method, headers: { ...headers }, redirect: 'error', signal } as const;
      const answer = await fetch(url, { ...init, ...(body !== undefined && { body }) });
      const json = jsonOf(await answer.text());
      return { status: answer.status, header: (name) => answer.headers.get(name) ?? undefined, json };
    },
    (reason) => ({ _tag: 'NoAnswer', reason }),
  );

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
