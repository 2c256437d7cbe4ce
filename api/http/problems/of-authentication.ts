import type { AuthenticationFailure } from '../../ports';
import { problem, type Problem } from './problem';

/** The answer to a call of nobody known. */
export const problemOfAuthentication = (failure: AuthenticationFailure): Problem => {
  switch (failure._tag) {
    case 'NoToken':
      return problem('missing-authentication-token', 'Send Authorization: Bearer <token>.', {}, challenge);
    case 'BadToken':
      return problem('invalid-authentication-token', failure.reason, {}, challenge);
  }
};

const challenge = { 'WWW-Authenticate': 'Bearer' };
