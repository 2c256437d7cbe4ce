import * as E from 'fp-ts/Either';
import type { AuthenticationFailure } from '../ports';

const MOST_CHARACTERS = 16_384;
const SCHEME = /^bearer(?: +|$)/iu;

/** The token of an `Authorization` header: `Bearer <JWT>`, or the bare JWT. */
export const bearerToken = (authorization: string | undefined): E.Either<AuthenticationFailure, string> => {
  const token = (authorization ?? '').trim().replace(SCHEME, '').trim();
  if (token === '') return E.left({ _tag: 'NoToken' });
  return token.length > MOST_CHARACTERS ? E.left(badToken(`is longer than ${MOST_CHARACTERS} bytes`)) : E.right(token);
};

/** Why a token is refused; the reason continues "The token". */
export const badToken = (reason: string): AuthenticationFailure => ({
  _tag: 'BadToken',
  reason: `The token ${reason}`,
});
