import * as E from 'fp-ts/Either';
import { exponential } from './pauses';
import { notReachable, type Trouble } from '../trouble';
import { problemOf } from './problem';

/** Where the API is, and who calls. */
export interface Caller {
  readonly url: string;
  readonly token?: string;
}

export interface Call {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly body?: { readonly mediaType: string; readonly text: string };
  /** By which a repeat of a write is known. */
  readonly key?: string;
}

/** A call that failed. Where another try may help, the least pause before it, in ms. */
export interface Failure {
  readonly trouble: Trouble;
  readonly againAfterMs?: number;
}

/** Beyond the API's own deadline. */
const ANSWER_WITHIN_MS = 30_000;

/** Calls once; right is the body of the answer, `undefined` when there is none. `tries` tells which try it is, from 0. */
export const attempt = async (caller: Caller, call: Call, tries: number): Promise<E.Either<Failure, unknown>> => {
  try {
    const response = await fetch(`${caller.url}${call.path}`, {
      method: call.method,
      headers: headersOf(caller, call),
      ...(call.body !== undefined && { body: call.body.text }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    if (!response.ok) return E.left(failureOf(response, text, tries));
    return E.right(text === '' ? undefined : (JSON.parse(text) as unknown));
  } catch (thrown) {
    return E.left({
      trouble: notReachable(`The API at ${caller.url}`, reasonOf(thrown)),
      againAfterMs: exponential(tries),
    });
  }
};

const headersOf = ({ token }: Caller, { body, key }: Call): Record<string, string> => ({
  ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  ...(body !== undefined && { 'Content-Type': body.mediaType }),
  ...(key !== undefined && { 'Idempotency-Key': key }),
});

const PASSING = [429, 503, 504];
const FORBIDDEN = [401, 403];

const failureOf = ({ status, headers }: Response, body: string, tries: number): Failure => {
  const problem = problemOf(status, body);
  const trouble: Trouble = { _tag: FORBIDDEN.includes(status) ? 'NotPermitted' : 'Refused', problem };
  if (!PASSING.includes(status)) return { trouble };
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return { trouble, againAfterMs: Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : exponential(tries) };
};

/** What `fetch` throws says why in its cause; several addresses in its cause's errors. */
const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.cause instanceof Error) return reasonOf(thrown.cause);
  if (thrown instanceof AggregateError) return thrown.errors.map(reasonOf).join('; ');
  return thrown.message;
};
