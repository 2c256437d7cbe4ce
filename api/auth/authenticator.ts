import { createHash } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../process/log';
import type { ApiSettings } from '../../process/settings';
import type { AuthenticationFailure, Authenticator, Outage } from '../ports';
import { createFileKeySet, createRemoteKeySet, type KeySet } from './key-set';
import { bearerToken, keyHint, verifyToken, type Claims, type Verified } from './token';

/** Longest time (ms) that a token is taken without another check, and capacity in tokens. */
const LONGEST_MS = 60_000;
const MOST_TOKENS = 10_000;

/**
 * The users of verified tokens, so that a caller's next calls need no signature check: each for a minute, at most until its
 * expiry or a change of the key set. Times are epoch ms. Only digests of tokens are kept.
 */
export const createVerifiedTokens = (max = MOST_TOKENS) => {
  const entries = new LRUCache<string, { userId: string; until: number; version: number }>({ max });
  return {
    userOf: (token: string, keySetVersion: number | undefined, now: number): string | undefined => {
      const found = entries.get(digest(token));
      return found !== undefined && found.version === keySetVersion && now < found.until ? found.userId : undefined;
    },
    keep: (token: string, verified: Verified, keySetVersion: number | undefined, now: number): void => {
      if (keySetVersion === undefined) return;
      const { userId, expiresAt = Infinity } = verified;
      entries.set(digest(token), { userId, until: Math.min(expiresAt, now + LONGEST_MS), version: keySetVersion });
    },
  };
};

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

/**
 * Authenticates callers by JWTs signed by a key of the key set.
 *
 * Errors: a key set's file cannot be read, or holds no key set; one line. A key set by URL is fetched in the background.
 */
export const createAuthenticator = (
  settings: ApiSettings,
  log: Log,
): E.Either<string, Authenticator & Pick<KeySet, 'age' | 'close'>> => {
  const { AUTH_JWKS_URL: url, AUTH_JWKS_FILE: file = '' } = settings; // one of them is set
  const { AUTH_JWKS_COOLDOWN_MS: cooldownMs, AUTH_JWKS_MAX_AGE_MS: maxAgeMs } = settings;
  return pipe(
    url === undefined ? createFileKeySet(file, log) : E.right(createRemoteKeySet({ url, cooldownMs, maxAgeMs, log })),
    E.map((keySet) => ({ userOf: authenticateBy(keySet, settings), age: keySet.age, close: keySet.close })),
  );
};

const authenticateBy = (keySet: KeySet, claims: Claims): Authenticator['userOf'] => {
  const verified = createVerifiedTokens();
  return (authorization) =>
    pipe(
      TE.fromEither(bearerToken(authorization)),
      TE.chainW((token): TE.TaskEither<AuthenticationFailure | Outage, string> => {
        const version = keySet.version(); // before the check, so that keys that change meanwhile void the cached result
        const known = verified.userOf(token, version, Date.now());
        if (known !== undefined) return TE.right(known);
        return pipe(
          TE.fromEither(keyHint(token)),
          TE.chainW(keySet.keysFor),
          TE.chainW((keys) => verifyToken(token, keys, claims)),
          TE.map((found) => {
            verified.keep(token, found, version, Date.now());
            return found.userId;
          }),
        );
      }),
    );
};
