import type { TypeOf } from '../workflows/domain/codecs';
import type { ProblemType } from '../api/http/problems/catalogue';
import type { ProblemView } from '../api/http/problems/problem-view';

/** The body of a problem, by RFC 9457. */
export type ProblemBody = TypeOf<typeof ProblemView>;

/**
 * Why a call did not succeed.
 *
 * Problem:       the service says no. `type` is the name of its type; `other` is one that this client does not know.
 * NoAnswer:      nobody answered in time, or the connection broke.
 * StrangeAnswer: something that the service does not answer: a proxy speaks, or the address leads elsewhere.
 * Aborted:       by the signal that came with the call.
 */
export type Reason =
  | {
      readonly _tag: 'Problem';
      readonly type: ProblemType | 'other';
      readonly body: ProblemBody;
      /** Seconds after which another call is worth it. */
      readonly retryAfter?: number;
    }
  | { readonly _tag: 'NoAnswer'; readonly reason: string }
  | { readonly _tag: 'StrangeAnswer'; readonly status: number; readonly reason: string; readonly retryAfter?: number }
  | { readonly _tag: 'Aborted' };

/** The reason of the last try. `mayHaveChanged`: one of the tries may have changed the node, or may do so still. */
export type Failure = Reason & { readonly mayHaveChanged: boolean };

/** Whether a try that came to this may have changed the node that it wanted to change. */
export const isUnsure = (reason: Reason): boolean => {
  switch (reason._tag) {
    case 'Problem':
      return reason.body.mayHaveChanged ?? reason.body.status >= 500;
    case 'NoAnswer':
    case 'StrangeAnswer':
    case 'Aborted':
      return true;
  }
};

/** Whether the same call may well succeed later. A write carries a key, so that its repeat counts once. */
export const isPassing = (reason: Reason): boolean => {
  switch (reason._tag) {
    case 'Problem':
      return passing.includes(reason.type);
    case 'NoAnswer':
      return true;
    case 'StrangeAnswer':
      return [429, 502, 503, 504].includes(reason.status);
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
