import type { Documented } from './route';
import { catalogue, type ProblemType } from '../http/problems/catalogue';
import { addressOf, PROBLEM_MEDIA_TYPE } from '../http/problems/problem';
import { ProblemView } from '../http/problems/problem-view';

export const noBody = (description: string, headers: ReadonlyArray<string> = []): Documented => ({
  description,
  headers,
});

/** What every route on nodes may answer. */
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

/** What a route with a body may answer besides. */
export const withContent: ReadonlyArray<ProblemType> = [
  'request-timeout',
  'payload-too-large',
  'unsupported-media-type',
];

/** What a route that changes a node may answer besides. */
export const withChange: ReadonlyArray<ProblemType> = ['idempotency-conflict'];

/** What a route without a token may answer. */
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

/** What problems of `types` mean, each with the address of more. */
export const meaningOf = (types: ReadonlyArray<ProblemType>): string =>
  types.map((type) => `[${type}](${addressOf(type)}): ${catalogue[type].meaning}`).join('\n\n');
