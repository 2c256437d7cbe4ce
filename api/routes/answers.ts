import type { Documented } from '../route';
import { PROBLEM_MEDIA_TYPE } from '../problems/problem';
import { ProblemView } from '../views/problem-view';

export const noBody = (description: string, headers: ReadonlyArray<string> = []): Documented => ({
  description,
  headers,
});

const descriptions = {
  400: 'The path, a header or the body is not valid; `reasons` names every fault.',
  401: 'There is no token, or no valid one.',
  403: 'The user lacks a permission; `violations` names all.',
  404: 'The hierarchy does not know the node.',
  408: 'The request did not arrive in time.',
  409: 'The request conflicts with what the node knows; `reasons` says how. Nothing was changed.',
  412: 'The threshold is at none of the revisions of `If-Match`. Nothing was changed.',
  413: 'The body is too large.',
  415: 'The body is of another media type, or compressed.',
  429: 'The user made too many calls, or too many wait for this node. Nothing was changed.',
  500: 'The service failed.',
  503: 'A part that the service stands on does not answer; `mayHaveChanged` says whether the change may still happen.',
  504: 'The deadline passed; `mayHaveChanged` says whether the change may still happen.',
} as const;

const headersOf: Readonly<Partial<Record<number, ReadonlyArray<string>>>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

type Failure = keyof typeof descriptions;

/** What every route on nodes may answer. */
export const everywhere: ReadonlyArray<Failure> = [400, 401, 403, 404, 429, 500, 503, 504];

/** What a route with a body may answer besides. */
export const withContent: ReadonlyArray<Failure> = [408, 413, 415];

/** The documents of the problems of `statuses`. */
export const problems = (...statuses: ReadonlyArray<Failure>): Readonly<Record<number, Documented>> =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: descriptions[status],
        headers: headersOf[status] ?? [],
        mediaType: PROBLEM_MEDIA_TYPE,
        codec: ProblemView,
      },
    ]),
  );
