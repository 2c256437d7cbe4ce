import { listed, type Reason } from '../../../workflows/domain/codecs';
import type { AuthenticationFailure, Permission } from '../../ports';
import { problem, type Problem } from './problem';

/** The answer to a request with faults; each is listed once. */
export const invalidRequest = (reasons: ReadonlyArray<Reason>): Problem => {
  const faults = listed(reasons);
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  return problem('invalid-request', `The request has ${count}.`, { reasons: faults });
};

/** The answer to a user without the needed permissions, all of which are listed. */
export const unauthorized = (userId: string, violations: ReadonlyArray<Permission>): Problem =>
  problem('unauthorized-resource', 'The user lacks the listed permissions.', {
    userId,
    violations: violations.map(({ action, resource }) => ({ action, resource })),
  });

/** The answer to a call without a valid token. */
export const problemOfAuthentication = (failure: AuthenticationFailure): Problem => {
  switch (failure._tag) {
    case 'NoToken':
      return problem('missing-authentication-token', 'Send Authorization: Bearer <token>.', {}, challenge);
    case 'BadToken':
      return problem('invalid-authentication-token', failure.reason, {}, challenge);
  }
};

const challenge = { 'WWW-Authenticate': 'Bearer' };
