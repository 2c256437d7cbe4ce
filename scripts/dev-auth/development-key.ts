import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fault, lineOf } from '../stack/fault';
import { writeWhole } from './write-whole';

/** Whose tokens `npm start` takes, when no other keys are set. */
export const ISSUER = 'point-alarm-development';
export const AUDIENCE = 'point-alarm';
export const ALGORITHM = 'ES256';

const PUBLIC_MEMBERS: ReadonlySet<string> = new Set(['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use']);

/** The development key of a data folder: the private key for `npm run token`, the public ones for the API. */
export interface DevelopmentKey {
  readonly privateJwk: JWK;
  readonly jwksFile: string;
}

/** The key in `folder`, made on first use. Two processes that make it at once end up with one key. */
export const developmentKey = async (folder: string): Promise<DevelopmentKey> => {
  const privateFile = join(folder, 'private.jwk.json');
  const jwksFile = join(folder, 'jwks.json');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const privateJwk = readKey(privateFile) ?? (await makeKey(privateFile));
    writeWhole(jwksFile, JSON.stringify({ keys: [publicPart(privateJwk)] }));
    return { privateJwk, jwksFile };
  } catch (thrown) {
    throw fault(`the development key in ${folder} does not work: ${lineOf(thrown)}`);
  }
};

const readKey = (file: string): JWK | undefined => {
  try {
    return jwkIn(readFileSync(file, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
};

const jwkIn = (text: string): JWK => {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && 'kty' in parsed && 'd' in parsed) {
    const { kty, d } = parsed;
    if (kty === 'EC' && typeof d === 'string') return { ...parsed, kty, d };
  }
  throw new Error('private.jwk.json holds no private key; remove it to get a new one');
};

/** Links the finished file into place: the first wins, and everybody reads the winner's. */
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
  return jwkIn(readFileSync(file, 'utf8'));
};

const publicPart = (jwk: JWK): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(jwk).filter(([name]) => PUBLIC_MEMBERS.has(name)));
