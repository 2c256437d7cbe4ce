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

/** One exchange, at most `ms` long. Errors: NoAnswer, Aborted. */
export const exchange = async (
  fetch: Fetch,
  request: Request,
  ms: number,
  signal: AbortSignal,
): Promise<E.Either<Reason, Reply>> => {
  const { method, url, headers, body } = request;
  const deadline = AbortSignal.timeout(ms);
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...headers },
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
      ...(body !== undefined && { body }),
    });
    const json = jsonOf(await answer.text());
    return E.right({ status: answer.status, header: (name) => answer.headers.get(name) ?? undefined, json });
  } catch (error) {
    if (signal.aborted) return E.left({ _tag: 'Aborted' });
    return E.left({ _tag: 'NoAnswer', reason: deadline.aborted ? `no answer within ${ms} ms` : reasonOf(error) });
  }
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
