import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { decodeProtectedHeader, errors, jwtVerify, type CryptoKey, type JWTPayload } from 'jose';
import { decode } from '../../workflows/domain/codecs';
import { UserId } from '../../workflows/domain/user-id';
import type { AuthSettings } from '../../process/settings';
import type { AuthenticationFailure } from '../ports';
import { readJson } from '../../process/json/read-json';
import { badToken } from './bearer-token';
import type { KeyHint } from './key-set';
import { signingAlgorithms } from './signing-algorithms';

/** What a token must say besides its signature. */
export type Claims = Omit<AuthSettings, 'jwks'>;

/** Who a good token speaks for, and until when (epoch ms; absent: for ever). */
export interface Verified {
  readonly userId: string;
  readonly expiresAt?: number;
}

const CLOCK_TOLERANCE_S = 5;

/** Which key must have signed the token: its head is read, nothing of it believed. Keys that it brings along are not looked at. */
export const keyHint = (token: string): E.Either<AuthenticationFailure, KeyHint> =>
  pipe(
    E.fromPredicate(isCompact, () => badToken('is no JWT'))(token),
    E.chain(() =>
      E.tryCatch(
        () => decodeProtectedHeader(token),
        () => badToken('is no JWT'),
      ),
    ),
    E.chain(({ alg, kid }) =>
      typeof alg === 'string' && signingAlgorithms.includes(alg)
        ? E.right({ alg, ...(typeof kid === 'string' && { kid }) })
        : E.left(badToken('is not signed by an algorithm that is taken here')),
    ),
  );

/** Whether it is three parts in the one base64url form that bytes have: no padding, no white space, no loose bits at an end. */
const isCompact = (token: string): boolean => {
  const parts = token.split('.');
  return parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
};

/** The user of a token that one of `keys` signed and that says what `claims` ask for. */
export const verifyToken = (
  token: string,
  keys: ReadonlyArray<CryptoKey>,
  claims: Claims,
): TE.TaskEither<AuthenticationFailure, Verified> =>
  pipe(
    keys.reduce<TE.TaskEither<AuthenticationFailure, JWTPayload>>(
      (tried, key) =>
        pipe(
          tried,
          TE.orElse(() => verifyBy(token, key, claims)),
        ),
      TE.left(badToken('is not signed by a key that is known here')),
    ),
    TE.chainEitherK((payload) => userIn(payload, claims.userClaim)),
  );

const verifyBy = (token: string, key: CryptoKey, { issuer, audience, requireExpiry }: Claims) =>
  TE.tryCatch(
    async () => {
      const options = {
        algorithms: [...signingAlgorithms],
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: requireExpiry ? ['exp'] : [],
        ...(issuer !== undefined && { issuer }),
        ...(audience !== undefined && { audience }),
      };
      const { payload } = await jwtVerify(token, key, options);
      if (!isUnambiguous(token)) throw new Error('it can be read in two ways');
      return payload;
    },
    (error) => badToken(reasonOf(error)),
  );

/** Whether head and claims read the same to everyone: no member is named twice, and no number is infinite. */
const isUnambiguous = (token: string): boolean =>
  token
    .split('.', 2)
    .map((part) => readJson(Buffer.from(part, 'base64url')))
    .every((read) => E.isRight(read) && read.right.faults.length === 0);

const userIn = (payload: JWTPayload, userClaim: string): E.Either<AuthenticationFailure, Verified> =>
  pipe(
    decode(UserId, payload[userClaim]),
    E.bimap(
      () => badToken(`names no user: its claim "${userClaim}" must be text of 1 to 256 printable characters`),
      (userId) => ({ userId, ...(payload.exp !== undefined && { expiresAt: payload.exp * 1_000 }) }),
    ),
  );

const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'has a signature that does not fit';
  if (error instanceof errors.JWTExpired) return 'has expired';
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'exp' && error.reason === 'missing')
    return 'has no expiry (exp), and only tokens that expire are taken';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `is not meant for here or now: its claim "${error.claim}" says so`;
  return 'is not valid';
};
