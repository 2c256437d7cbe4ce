import { createHash } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as jose from 'jose';
import { LRUCache } from 'lru-cache';
import type { AuthenticationFailure, Authenticator } from '../ports';
import { decode, UserId } from '../../workflows/domain/codecs';
import type { Log } from '../../process/log';
import type { ApiSettings } from '../../process/settings';
import { readJson } from '../../process/json';
import { createFileKeySet, createRemoteKeySet, type KeySet } from './key-set';
import { signingAlgorithms } from './jwks';

interface VerifyingAuthenticator extends Authenticator {
  /** The user of a token that was valid at its last check, even if the token must be checked again; else undefined. */
  readonly verifiedUserOf: (authorization: string | undefined) => string | undefined;
}

/** Authenticates callers by JWTs that a key of the key set has signed. Left: the fault of the key set's file. */
export const createAuthenticator = (
  settings: ApiSettings,
  log: Log,
): E.Either<string, VerifyingAuthenticator & Pick<KeySet, 'age' | 'close'>> => {
  const { AUTH_JWKS_URL: url, AUTH_JWKS_FILE: file = '' } = settings; // exactly one of the two is set
  const { AUTH_JWKS_COOLDOWN_MS: cooldownMs, AUTH_JWKS_MAX_AGE_MS: maxAgeMs } = settings;
  return pipe(
    url === undefined ? createFileKeySet(file, log) : E.right(createRemoteKeySet({ url, cooldownMs, maxAgeMs, log })),
    E.map((keySet) => ({ ...authenticateBy(keySet, settings), age: keySet.age, close: keySet.close })),
  );
};

const authenticateBy = (keySet: KeySet, claims: Claims): VerifyingAuthenticator => {
  const verified = createVerifiedTokens();
  const userOf: Authenticator['userOf'] = (authorization) => async () => {
    const token = bearerToken(authorization);
    if (E.isLeft(token)) return token;
    const version = keySet.version(); // read before the check, so that a change of keys meanwhile voids the cached result
    const known = verified.userOf(token.right, version, Date.now());
    if (known !== undefined) return E.right(known);
    const hint = keyHint(token.right);
    if (E.isLeft(hint)) return hint;
    const keys = await keySet.keysFor(hint.right)();
    if (E.isLeft(keys)) return keys;
    const found = await verifyToken(token.right, keys.right, claims);
    if (E.isLeft(found)) return found;
    verified.keep(token.right, found.right, version, Date.now());
    return E.right(found.right.userId);
  };
  const verifiedUserOf = (authorization: string | undefined): string | undefined => {
    const token = bearerToken(authorization);
    return E.isRight(token) ? verified.lastUserOf(token.right) : undefined;
  };
  return { userOf, verifiedUserOf };
};

/** Longest time (ms) that a verified token is cached, and the cache's capacity in tokens. */
const LONGEST_MS = 60_000;
const MOST_TOKENS = 10_000;

/** Caches the users of verified tokens, by digest, until the token expires or the keys change, and for at most a minute. */
export const createVerifiedTokens = (max = MOST_TOKENS) => {
  const entries = new LRUCache<string, { userId: string; until: number; version: number }>({ max });
  return {
    userOf: (token: string, keySetVersion: number | undefined, now: number): string | undefined => {
      const found = entries.get(digest(token));
      return found !== undefined && found.version === keySetVersion && now < found.until ? found.userId : undefined;
    },
    /** The user of a cached token, even if it must be checked again: its request need not wait behind invented tokens. */
    lastUserOf: (token: string): string | undefined => entries.get(digest(token))?.userId,
    keep: (token: string, verified: Verified, keySetVersion: number | undefined, now: number): void => {
      if (keySetVersion === undefined) return;
      const { userId, expiresAt = Infinity } = verified;
      entries.set(digest(token), { userId, until: Math.min(expiresAt, now + LONGEST_MS), version: keySetVersion });
    },
  };
};

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

const MOST_CHARACTERS = 16_384;
const SCHEME = /^bearer(?: +|$)/iu;

/** The token of an `Authorization` header: `Bearer <JWT>`, or the bare JWT. */
export const bearerToken = (authorization: string | undefined): E.Either<AuthenticationFailure, string> => {
  const token = (authorization ?? '').trim().replace(SCHEME, '').trim();
  if (token === '') return E.left({ _tag: 'NoToken' });
  return token.length > MOST_CHARACTERS ? E.left(badToken(`is longer than ${MOST_CHARACTERS} bytes`)) : E.right(token);
};

/** `reason` completes a sentence that begins with "The token". */
const badToken = (reason: string): AuthenticationFailure => ({ _tag: 'BadToken', reason: `The token ${reason}` });

type Claims = Pick<ApiSettings, 'AUTH_ISSUER' | 'AUTH_AUDIENCE' | 'AUTH_USER_CLAIM' | 'AUTH_REQUIRE_EXP'>;

/** The user of a valid token, and the time at which the token expires (epoch ms; absent: never). */
interface Verified {
  readonly userId: string;
  readonly expiresAt?: number;
}

const CLOCK_TOLERANCE_S = 5;

/** The algorithm and key id in the token's header, which is not verified yet. Keys that the header contains are ignored. */
export const keyHint = (token: string): E.Either<AuthenticationFailure, jose.JWSHeaderParameters> =>
  pipe(
    isCompact(token) ? E.tryCatch(() => jose.decodeProtectedHeader(token), noJwt) : E.left(noJwt()),
    E.chain(({ alg, kid }) =>
      typeof alg === 'string' && signingAlgorithms.includes(alg)
        ? E.right({ alg, ...(typeof kid === 'string' && { kid }) })
        : E.left(badToken('is not signed by an algorithm that is taken here')),
    ),
  );

const noJwt = () => badToken('is no JWT');

/** Whether the token has three segments in canonical base64url: no padding, no white space, no stray bits. */
const isCompact = (token: string): boolean => {
  const segments = token.split('.');
  return segments.length === 3 && segments.every((one) => Buffer.from(one, 'base64url').toString('base64url') === one);
};

/** The user of a token that satisfies `claims` and is signed by one of `keys`. Left: why the token is refused. */
const verifyToken = async (
  token: string,
  keys: ReadonlyArray<jose.CryptoKey>,
  claims: Claims,
): Promise<E.Either<AuthenticationFailure, Verified>> => {
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = claims;
  const options = {
    algorithms: [...signingAlgorithms],
    clockTolerance: CLOCK_TOLERANCE_S,
    requiredClaims: claims.AUTH_REQUIRE_EXP ? ['exp'] : [],
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
  };
  let refused = 'is not signed by a key that is known here';
  for (const key of keys) {
    try {
      const { payload } = await jose.jwtVerify(token, key, options);
      return isUnambiguous(token) ? userIn(payload, claims.AUTH_USER_CLAIM) : E.left(badToken(NOT_VALID));
    } catch (error) {
      if (isOfClaims(error)) return E.left(badToken(whyRefused(error)));
      if (refused !== MISFIT) refused = whyRefused(error);
    }
  }
  return E.left(badToken(refused));
};

/** Whether header and claims are unambiguous: they have no duplicate member and no infinite number. */
const isUnambiguous = (token: string): boolean =>
  token
    .split('.', 2)
    .map((segment) => readJson(Buffer.from(segment, 'base64url')))
    .every((read) => E.isRight(read) && read.right.faults.length === 0);

const userIn = (payload: jose.JWTPayload, userClaim: string): E.Either<AuthenticationFailure, Verified> =>
  pipe(
    decode(UserId, payload[userClaim]),
    E.bimap(
      () => badToken(`names no user: its claim "${userClaim}" must be text of 1 to 256 printable characters`),
      (userId) => ({ userId, ...(payload.exp !== undefined && { expiresAt: payload.exp * 1_000 }) }),
    ),
  );

/** Whether `error` means that the signature of the token is valid, but its claims are not. */
const isOfClaims = (error: unknown): boolean =>
  error instanceof jose.errors.JWTExpired ||
  error instanceof jose.errors.JWTClaimValidationFailed ||
  error instanceof jose.errors.JWTInvalid;

const whyRefused = (error: unknown): string => {
  if (error instanceof jose.errors.JWSSignatureVerificationFailed) return MISFIT;
  if (error instanceof jose.errors.JWTExpired) return 'has expired';
  if (error instanceof jose.errors.JWTClaimValidationFailed && error.claim === 'exp' && error.reason === 'missing')
    return 'has no expiry (exp), and only tokens that expire are taken';
  if (error instanceof jose.errors.JWTClaimValidationFailed) return `is not valid here or now: claim "${error.claim}"`;
  return NOT_VALID;
};

const MISFIT = 'has a signature that does not fit';
const NOT_VALID = 'is not valid';
