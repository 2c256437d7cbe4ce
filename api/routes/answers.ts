import type { Documented } from './route';
import { catalogue, type ProblemType } from '../http/problems/catalogue';
import { addressOf, PROBLEM_MEDIA_TYPE } from '../http/problems/problem';
import { ProblemView } from '../http/problems/problem-view';

export const noBody = (description: string, headers: ReadonlyArray<string> = []): Documented => ({
  description,
  headers,
});

/** Problems of every route on nodes. */
export const everywhere: ReadonlyArray<ProblemType> = [
  'invalid-request',
  'missing-authentication-token',
  'invalid-authentication-token',
  'unauthorized-resource',
  'resource-not-found',
  'too-many-requests',
  'internal-server-error',
  'unavailable',
  'timeout',
];

/** Further problems of a route with a body. */
export const withContent: ReadonlyArray<ProblemType> = [
  'request-timeout',
  'payload-too-large',
  'unsupported-media-type',
];

/** Further problems of a route that changes a node. */
export const withChange: ReadonlyArray<ProblemType> = ['idempotency-conflict'];

/** Problems of a route without a token. */
export const withoutToken: ReadonlyArray<ProblemType> = ['invalid-request', 'internal-server-error'];

/** The documents of the problems of `types`, by status. */
export const problems = (...types: ReadonlyArray<ProblemType>): Readonly<Record<number, Documented>> =>
  Object.fromEntries(
    types.map((type) => {
      const { status } = catalogue[type];
      return [status, problemOf(types.filter((other) => catalogue[other].status === status))];
    }),
  );

const problemOf = (types: ReadonlyArray<ProblemType>): Documented => ({
  description: meaningOf(types),
  headers: [...new Set(types.flatMap((type) => catalogue[type].headers ?? []))],
  mediaType: PROBLEM_MEDIA_TYPE,
  codec: ProblemView,
  problems: types,
});

/** The meaning of the problems of `types`, each with a link. */
export const meaningOf = (types: ReadonlyArray<ProblemType>): string =>
  types.map((type) => `[${type}](${addressOf(type)}): ${catalogue[type].meaning}`).join('\n\n');
