import type { ProblemEntry } from './entry';
import { problemsOfHttp } from './of-http';
import { problemsOfRequests } from './of-requests';
import { problemsOfService } from './of-service';

export type { ProblemEntry } from './entry';
export { MAY_HAVE_CHANGED } from './of-service';

export type ProblemType =
  keyof typeof problemsOfHttp | keyof typeof problemsOfRequests | keyof typeof problemsOfService;

/** Every type of problem: answers, documents and pages come from this table. */
export const catalogue: Readonly<Record<ProblemType, ProblemEntry>> = {
  ...problemsOfRequests,
  ...problemsOfService,
  ...problemsOfHttp,
};

/** Every type, by status. */
export const problemTypes: ReadonlyArray<ProblemType> = Object.keys(catalogue)
  .filter((name) => isProblemType(name))
  .sort((one, other) => catalogue[one].status - catalogue[other].status);

/** The types that any request may get, at any address. */
export const typesOfHttp = problemTypes.filter((type) => Object.hasOwn(problemsOfHttp, type));

/** Whether the service answers problems of the type `name`. */
export function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(catalogue, name);
}
