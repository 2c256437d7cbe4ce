import { KeyObject, sign as signBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';

export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export const signingKey = async (alg: string, kid: string): Promise<SigningKey> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

export const seconds = (): number => Math.floor(Date.now() / 1_000);

/** A token of `key`, good for a minute, unless `claims` or `header` say otherwise. */
export const token = (
  key: SigningKey,
  claims: JWTPayload = {},
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> =>
  new SignJWT({ sub: 'user-1', exp: seconds() + 60, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);

export const part = (value: unknown): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).toString(
    'base64url',
  );

/** A token with a right signature of an ES256 key over whatever head and claims; text and bytes are taken as they are. */
export const signedAnyhow = (
  { privateKey }: Pick<SigningKey, 'privateKey'>,
  header: unknown,
  claims: unknown,
): string => {
  const signed = `${part(header)}.${part(claims)}`;
  const signer = { key: KeyObject.from(privateKey), dsaEncoding: 'ieee-p1363' } as const;
  return `${signed}.${signBytes('sha256', Buffer.from(signed), signer).toString('base64url')}`;
};

/** A folder for the files of a test. */
export const temporaryFolder = async (): Promise<{
  readonly path: (name: string) => string;
  readonly remove: () => Promise<void>;
}> => {
  const folder = await mkdtemp(join(tmpdir(), 'auth-'));
  return { path: (name) => join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) };
};

export const writeJson = (path: string, value: unknown): Promise<void> => writeFile(path, JSON.stringify(value));

export const replaceByRename = async (path: string, value: unknown): Promise<void> => {
  await writeJson(`${path}.new`, value);
  await rename(`${path}.new`, path);
};
