import { listed, type Reason } from '../../../workflows/domain/codecs';
import type { Permission } from '../../ports';
import { problem, type Problem } from './problem';

/** The answer to a request with faults; each is named once. */
export const invalidRequest = (reasons: ReadonlyArray<Reason>): Problem => {
  const told = listed(reasons);
  const count = told.length === 1 ? '1 fault' : `${told.length} faults`;
  return problem('invalid-request', `The request has ${count}.`, { reasons: told });
};

/** The answer to a user who lacks permissions: all of them are named. */
export const unauthorized = (userId: string, violations: ReadonlyArray<Permission>): Problem =>
  problem('unauthorized-resource', 'No grant covers what is asked for.', {
    userId,
    violations: violations.map(({ action, resource }) => ({ action, resource })),
  });
