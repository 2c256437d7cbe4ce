import type { TypeOf } from '../workflows/domain/codecs';
import type { ProblemType } from '../api/http/problems/catalogue';
import type { ProblemView } from '../api/http/problems/problem-view';

/** The body of a problem, by RFC 9457. */
export type ProblemBody = TypeOf<typeof ProblemView>;

/**
 * Why a call did not succeed.
 *
 * Problem:       the service refused the call. `type` is the name of its type, `other` for an unknown one.
 * NotSent:       the call, or its next try, could not be made: a node id, a body, a header or an address that cannot be sent,
 *                or no token.
 * NoAnswer:      no answer in time, or the connection broke.
 * StrangeAnswer: an answer that is not the service's: of a proxy, or of another server.
 * Aborted:       by the signal of the call or the client.
 */
export type Reason =
  | {
      readonly _tag: 'Problem';
      readonly type: ProblemType | 'other';
      readonly body: ProblemBody;
      /** The seconds of `Retry-After`. */
      readonly retryAfter?: number;
    }
  | { readonly _tag: 'NotSent'; readonly reason: string }
  | { readonly _tag: 'NoAnswer'; readonly reason: string }
  | { readonly _tag: 'StrangeAnswer'; readonly status: number; readonly reason: string; readonly retryAfter?: number }
  | { readonly _tag: 'Aborted' };

/** The failure of the last try. `mayHaveChanged`: a try may have changed the node, or still may. */
export type Failure = Reason & { readonly mayHaveChanged: boolean };

/** Whether a write that failed so may have changed its node. */
export const isUnsure = (reason: Reason): boolean => {
  switch (reason._tag) {
    case 'Problem':
      return reason.body.mayHaveChanged ?? reason.body.status >= 500;
    case 'NotSent':
      return false;
    case 'NoAnswer':
    case 'StrangeAnswer':
    case 'Aborted':
      return true;
  }
};

/** Whether a retry may succeed. A write has a key, so that its repeat counts once. */
export const isPassing = (reason: Reason): boolean => {
  switch (reason._tag) {
    case 'Problem':
      return passing.includes(reason.type);
    case 'NoAnswer':
      return true;
    case 'StrangeAnswer':
      return [429, 502, 503, 504].includes(reason.status);
    case 'NotSent':
    case 'Aborted':
      return false;
  }
};

const passing: ReadonlyArray<ProblemType | 'other'> = [
  'request-timeout',
  'too-many-requests',
  'unavailable',
  'timeout',
];
