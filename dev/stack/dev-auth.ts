import * as E from 'fp-ts/Either';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportedFault, lineOf } from './report';

export const ISSUER = 'point-alarm-development';
export const AUDIENCE = 'point-alarm';
export const ALGORITHM = 'ES256';

/**
 * The development key in `folder`, made on first use. Returns the private key, for `npm run token`, and the file of the public
 * one, for the API. Two processes that make it at once end up with the same key.
 */
export const developmentKey = async (folder: string): Promise<{ privateJwk: JWK; jwksFile: string }> => {
  const privateFile = join(folder, 'private.jwk.json');
  const jwksFile = join(folder, 'jwks.json');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const privateJwk = existsSync(privateFile) ? readKey(privateFile) : await makeKey(privateFile);
    writeWhole(jwksFile, JSON.stringify({ keys: [{ ...privateJwk, d: undefined }] }));
    return { privateJwk, jwksFile };
  } catch (thrown) {
    throw reportedFault(`the development key in ${folder} does not work: ${lineOf(thrown)}`);
  }
};

const readKey = (file: string): JWK => {
  const jwk = JSON.parse(readFileSync(file, 'utf8')) as JWK | null;
  if (jwk?.kty === 'EC' && typeof jwk.d === 'string') return jwk;
  throw new Error('private.jwk.json holds no private key; remove it to get a new one');
};

/** Writes the key to a file of its own and links that to `file`. The first process wins, and all processes read its key. */
const makeKey = async (file: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: ALGORITHM, use: 'sig' };
  const own = `${file}.${process.pid}.${randomUUID()}`;
  writeFileSync(own, JSON.stringify(jwk), { mode: 0o600 });
  try {
    linkSync(own, file);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
  } finally {
    rmSync(own);
  }
  return readKey(file);
};

/** Writes a grants file to `folder`: every user may do everything on every node. Returns the path of the file. */
export const developmentGrants = (folder: string): string => {
  const file = join(folder, 'grants.json');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify({ grants: [{ user: '*', actions: ['*'], node: '*' }] }));
    return file;
  } catch (thrown) {
    throw reportedFault(`cannot write ${file}: ${lineOf(thrown)}`);
  }
};

/** Writes a file whole or not at all. A file with the same text is left alone, so that its watchers do not read it again. */
const writeWhole = (file: string, text: string): void => {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const own = `${file}.${process.pid}.${randomUUID()}`;
  writeFileSync(own, text);
  renameSync(own, file);
};

export interface TokenRequest {
  readonly user: string;
  readonly ttlSeconds: number;
}

export const DEVELOPMENT_USER = 'd3a7c1f0-5b1e-4c52-9a64-1f0c7e2b8d90';

export const USAGE = 'usage: npm run token -- [--user UUID] [--ttl 90s|30m|1h|7d]';

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

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const TEN_YEARS = 3_650 * 86_400;

/** The seconds in a text such as `30m`; 0 if the text is no such time, or longer than ten years. */
const secondsIn = (text: string): number => {
  const [, digits, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (SECONDS[unit] ?? NaN);
  return seconds <= TEN_YEARS ? seconds : 0;
};
