import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../process/log';
import type { AuthSettings } from '../../process/settings';
import type { AuthenticationFailure, Authenticator, Outage } from '../ports';
import { bearerToken } from './bearer-token';
import { createFileKeySet } from './file-key-set';
import type { KeySet } from './key-set';
import { createRemoteKeySet } from './remote-key-set';
import { createVerifiedTokens } from './verified-tokens';
import { keyHint, verifyToken, type Claims } from './verify-token';

type Authentication = TE.TaskEither<AuthenticationFailure | Outage, string>;

/**
 * Authenticates callers by JWTs signed by a key of the key set.
 *
 * Errors: a key set's file cannot be read, or holds no key set; one line. A key set by URL is fetched in the background.
 */
export const createAuthenticator = (
  options: AuthSettings & { readonly log: Log },
): E.Either<string, Authenticator & Pick<KeySet, 'age' | 'close'>> =>
  pipe(
    keySetOf(options),
    E.map((keySet) => ({ userOf: authenticateBy(keySet, options), age: keySet.age, close: keySet.close })),
  );

const authenticateBy = (keySet: KeySet, claims: Claims): Authenticator['userOf'] => {
  const verified = createVerifiedTokens();
  const verify = (token: string, version: number | undefined): Authentication =>
    pipe(
      TE.fromEither(keyHint(token)),
      TE.chainW(keySet.keysFor),
      TE.chainW((keys) => verifyToken(token, keys, claims)),
      TE.map((found) => {
        verified.keep(token, found, version, Date.now());
        return found.userId;
      }),
    );
  return (authorization) =>
    pipe(
      TE.fromEither(bearerToken(authorization)),
      TE.chainW((token): Authentication => {
        const version = keySet.version(); // before the check, so that keys that change meanwhile void the cached result
        const known = verified.userOf(token, version, Date.now());
        return known === undefined ? verify(token, version) : TE.right(known);
      }),
    );
};

const keySetOf = ({ jwks, log }: AuthSettings & { readonly log: Log }): E.Either<string, KeySet> =>
  'url' in jwks ? E.right(createRemoteKeySet({ ...jwks, log })) : createFileKeySet({ file: jwks.file, log });
