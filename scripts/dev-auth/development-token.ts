import { importJWK, SignJWT } from 'jose';
import * as E from 'fp-ts/Either';
import { parseArgs } from 'node:util';
import { lineOf } from '../stack/fault';
import { ALGORITHM, AUDIENCE, developmentKey, ISSUER } from './development-key';

/** What a token says: whose it is, and for how many seconds. */
export interface TokenRequest {
  readonly user: string;
  readonly ttlSeconds: number;
}

/** Whom a token is for when nobody is named. */
export const DEVELOPMENT_USER = 'd3a7c1f0-5b1e-4c52-9a64-1f0c7e2b8d90';

export const USAGE = 'usage: npm run token -- [--user UUID] [--ttl 90s|30m|1h|7d]';

/** Signs with the key in `folder`, made on first use. */
export const developmentToken = async (folder: string, { user, ttlSeconds }: TokenRequest): Promise<string> => {
  const { privateJwk } = await developmentKey(folder);
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', ...(privateJwk.kid !== undefined && { kid: privateJwk.kid }) })
    .setSubject(user)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + ttlSeconds)
    .sign(await importJWK(privateJwk, ALGORITHM));
};

/** What the arguments ask for; left is what is wrong with them, in one line. */
export const tokenRequest = (args: ReadonlyArray<string>): E.Either<string, TokenRequest> => {
  try {
    const options = { user: { type: 'string' }, ttl: { type: 'string' } } as const;
    const { user = DEVELOPMENT_USER, ttl = '1h' } = parseArgs({ args: [...args], options }).values;
    if (!UUID.test(user)) return E.left(`--user ${user} is no UUID`);
    const ttlSeconds = secondsIn(ttl);
    return ttlSeconds > 0 ? E.right({ user, ttlSeconds }) : E.left(`--ttl ${ttl} is no time; 90s, 30m, 1h and 7d are`);
  } catch (thrown) {
    return E.left(lineOf(thrown));
  }
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** 0 when `text` is no time of at most ten years. */
const secondsIn = (text: string): number => {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return 0;
  const seconds = Number(digits) * SECONDS[unit];
  return seconds <= 3_650 * SECONDS.d ? seconds : 0;
};
