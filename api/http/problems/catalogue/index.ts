import type { ProblemEntry } from './entry';
import { problemsOfHttp } from './of-http';
import { problemsOfRequests } from './of-requests';
import { problemsOfService } from './of-service';

export type { ProblemEntry } from './entry';

export type ProblemType =
  keyof typeof problemsOfHttp | keyof typeof problemsOfRequests | keyof typeof problemsOfService;

/** Every type of problem that the service answers: what it answers, the documents and the pages of it come from here. */
export const catalogue: Readonly<Record<ProblemType, ProblemEntry>> = {
  ...problemsOfRequests,
  ...problemsOfService,
  ...problemsOfHttp,
};

/** Every type, by status. */
export const problemTypes: ReadonlyArray<ProblemType> = Object.keys(catalogue)
  .filter((name) => isProblemType(name))
  .sort((one, other) => catalogue[one].status - catalogue[other].status);

/** The types that any request may meet, whatever its address. */
export const typesOfHttp = problemTypes.filter((type) => Object.hasOwn(problemsOfHttp, type));

/** Whether the service answers problems of the type `name`. */
export function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(catalogue, name);
}
