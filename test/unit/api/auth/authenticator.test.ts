import { KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { importJWK, SignJWT, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../../api/auth/authenticator';
import type { Authenticator } from '../../../../api/ports';
import type { ApiSettings } from '../../../../process/settings';
import { settingsWith } from '../../../support/api/settings';
import { recordedLog } from '../../../support/recorded-log';
import {
  part,
  replaceByRename,
  seconds,
  signedAnyhow,
  signingKey,
  temporaryFolder,
  token,
  until,
  writeJson,
  type SigningKey,
} from './tokens';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let key: SigningKey;
let stranger: SigningKey;
const open: { readonly close: () => void }[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  [key, stranger] = await Promise.all([signingKey('ES256', 'one'), signingKey('ES256', 'one')]);
  await writeJson(folder.path('jwks.json'), { keys: [key.publicJwk] });
});
afterAll(async () => {
  open.forEach(({ close }) => close());
  await folder.remove();
});

const create = (settings: Partial<ApiSettings> = {}, { log } = recordedLog()) =>
  createAuthenticator(settingsWith({ AUTH_JWKS_FILE: folder.path('jwks.json'), ...settings }), log);

const authenticator = (...how: Parameters<typeof create>): Authenticator => {
  const made = create(...how);
  if (E.isLeft(made)) throw new Error(made.left);
  open.push(made.right);
  return made.right;
};

/** The user, or the failure's tag and reason. */
const who = async ({ userOf }: Authenticator, authorization: string | undefined): Promise<string> => {
  const found = await userOf(authorization)();
  if (E.isRight(found)) return found.right;
  return found.left._tag === 'BadToken' ? `BadToken: ${found.left.reason}` : found.left._tag;
};

describe('the header', () => {
  test.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer   ', ''])('may put %j before the token', async (scheme) => {
    expect(await who(authenticator(), scheme + (await token(key)))).toBe('user-1');
  });

  test.each([undefined, '', '  ', 'Bearer', 'bearer '])('%j holds no token', async (header) => {
    expect(await who(authenticator(), header)).toBe('NoToken');
  });

  test.each([
    'Basic dXNlcjpwdw==',
    'Bearer x',
    'Bearer a.b',
    'a.b.c.d',
    'Bearer ..',
    'null',
    'Bearer Bearer x',
    'ÿþ.\u0000.é',
    '💥',
  ])('%j holds a bad one', async (header) => {
    expect(await who(authenticator(), header)).toBe('BadToken: The token is no JWT');
  });
});

test("a key's own algorithm is respected", async () => {
  const rsa = await signingKey('RS256', 'rsa');
  const file = folder.path('own-alg.json');
  await writeJson(file, { keys: [rsa.publicJwk] });
  const asPss = await importJWK({ ...(await exportPrivate(rsa.privateKey)), alg: 'PS256' }, 'PS256');
  const jwt = await new SignJWT({ sub: 'user-1' }).setProtectedHeader({ alg: 'PS256', kid: 'rsa' }).sign(asPss);
  expect(await who(authenticator({ AUTH_JWKS_FILE: file }), jwt)).toBe(NO_KEY);
});

const NO_ALGORITHM = 'BadToken: The token is not signed by an algorithm that is taken here';
const NO_KEY = 'BadToken: The token is not signed by a key that is known here';
const BAD_SIGNATURE = 'BadToken: The token has a signature that does not fit';
const NO_EXPIRY = 'BadToken: The token has no expiry (exp), and only tokens that expire are taken';
const NOT_VALID = 'BadToken: The token is not valid';
const refusedClaim = (claim: string): string => `BadToken: The token is not valid here or now: claim "${claim}"`;
const noUser = (claim = 'sub'): string =>
  `BadToken: The token names no user: its claim "${claim}" must be text of 1 to 256 printable characters`;

/** Every attack stands in test/contract/token-attacks.test.ts; here, what each kind of refusal says of its reason. */
describe('a refusal says why', () => {
  type Attack = readonly [string, string, () => Promise<string> | string];
  const claims = () => ({ sub: 'admin', exp: seconds() + 60 });
  const attacks: ReadonlyArray<Attack> = [
    ['no algorithm', NO_ALGORITHM, () => `${part({ alg: 'none' })}.${part(claims())}.`],
    ['encryption', NO_ALGORITHM, () => `${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.${part('k')}.${part('i')}`],
    ['an algorithm that is no text', NO_ALGORITHM, () => `${part({ alg: ['ES256'] })}.${part(claims())}.${part('s')}`],
    ["another's key under our id", BAD_SIGNATURE, () => token(stranger)],
    ['an unknown key', NO_KEY, async () => token(await signingKey('ES256', 'two'))],
    ['another algorithm of the same key', NO_KEY, async () => rehead(await token(key), { alg: 'ES384', kid: 'one' })],
    ['a head that must be understood', NOT_VALID, () => raw({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }, claims())],
    ['claims that are no JSON', NOT_VALID, () => raw({ alg: 'ES256', kid: 'one' }, 'admin')],
    [
      'a head that is not UTF-8',
      'BadToken: The token is no JWT',
      async () => `${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${part(claims())}.${part('s')}`,
    ],
    ['an expired token', 'BadToken: The token has expired', () => token(key, { exp: seconds() - 7 })],
    ['a token of tomorrow', refusedClaim('nbf'), () => token(key, { nbf: seconds() + 10 })],
    [
      'an expiry that is no number',
      refusedClaim('exp'),
      () => raw({ alg: 'ES256', kid: 'one' }, { sub: 'a', exp: null }),
    ],
    ['no user', noUser(), () => token(key, { sub: undefined as never })],
    ['a user of 257 characters', noUser(), () => token(key, { sub: 'a'.repeat(257) })],
    [
      'a token of more than 16 KiB',
      'BadToken: The token is longer than 16384 bytes',
      () => token(key, { pad: 'x'.repeat(13_000) }),
    ],
  ];

  test.each(attacks)('%s', async (_, expected, attack) => {
    expect(await who(authenticator(), `Bearer ${await attack()}`)).toBe(expected);
  });

  test('a claim that every object inherits names no user', async () => {
    expect(await who(authenticator({ AUTH_USER_CLAIM: 'constructor' }), await token(key))).toBe(noUser('constructor'));
  });
});

describe('claims', () => {
  test('of a clock that is 3 s off are taken', async () => {
    expect(await who(authenticator(), await token(key, { exp: seconds() - 3, nbf: seconds() - 60 }))).toBe('user-1');
    expect(await who(authenticator(), await token(key, { nbf: seconds() + 3 }))).toBe('user-1');
  });

  test('need an expiry, unless that is set otherwise', async () => {
    const endless = await token(key, { exp: undefined as never });
    expect(await who(authenticator(), endless)).toBe(NO_EXPIRY);
    expect(await who(authenticator({ AUTH_REQUIRE_EXP: false }), endless)).toBe('user-1');
  });

  test.each([
    'auth0|5f7c8ec7',
    'ada@example.org',
    '0B6F0C1A-7C55-4C3B-8A54-6C0E5B1F2D3E',
    'Ada Łovelace',
    '*',
    'x'.repeat(256),
  ])('may name the user %j', async (user) => {
    expect(await who(authenticator(), await token(key, { sub: user }))).toBe(user);
  });

  test('name the user by another claim where that is set', async () => {
    expect(await who(authenticator({ AUTH_USER_CLAIM: 'oid' }), await token(key, { oid: 'user-2' }))).toBe('user-2');
  });
});

describe('a token that was taken', () => {
  test('is taken no more once its key has left the file', async () => {
    const file = folder.path('rotated.json');
    await writeJson(file, { keys: [key.publicJwk] });
    const one = authenticator({ AUTH_JWKS_FILE: file });
    const jwt = await token(key);
    expect(await who(one, jwt)).toBe('user-1');
    const next = await signingKey('ES256', 'next');
    await replaceByRename(file, { keys: [next.publicJwk] });
    await until(async () => (await who(one, jwt)) === NO_KEY);
    expect(await who(one, await token(next))).toBe('user-1');
  });

  test('is still taken when the new version of the file is broken', async () => {
    const file = folder.path('broken-later.json');
    await writeJson(file, { keys: [key.publicJwk] });
    const kept = recordedLog();
    const made = create({ AUTH_JWKS_FILE: file }, kept);
    if (E.isLeft(made)) throw new Error(made.left);
    open.push(made.right);
    await writeFile(file, '{"keys": []}');
    await until(() => kept.records.length > 0);
    await sleep(1_200);
    expect(kept.records.map(({ msg }) => msg)).toEqual(['a new version is refused, the old one stays']);
    expect(await who(made.right, await token(key))).toBe('user-1');
  });
});

const small = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xc1).toString('base64url') };
const long = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(256, 0xc1).toString('base64url') };

describe('a key set file is refused at start', () => {
  test.each([
    ['that is not there', undefined, 'is not there'],
    ['that is no JSON', 'keys', 'is not JSON'],
    ['without keys', {}, 'is not valid: keys must be an array'],
    ['with nothing but broken keys', { keys: [small, null] }, 'keys.0 must have at least 2048 bits \\(and 1 more\\)'],
    ['of no keys', { keys: [] }, 'keys must hold a public key that verifies signatures'],
    [
      'that holds a shared secret',
      { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
      'keys.0 must be a public key: it holds a secret',
    ],
    ['that holds a shared secret beside a good key', 'secret beside', 'keys.1 must be a public key: it holds a secret'],
    ['that holds a private key', 'private', 'keys.0 must be a public key: it holds a secret'],
    ['with a key that is none', { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] }, 'keys.0 is no EC key'],
    ['with a short key', { keys: [small] }, 'keys.0 must have at least 2048 bits'],
    [
      'with keys for encryption only',
      { keys: [{ kty: 'RSA', use: 'enc', e: 'AQAB', n: 'AA' }] },
      'keys must hold a public key',
    ],
    [
      'with keys of HMAC only',
      { keys: [{ kty: 'RSA', alg: 'HS256', e: 'AQAB', n: 'AA' }] },
      'keys.0 is for an algorithm that is not taken here',
    ],
  ])('%s', async (name, content, reason) => {
    const file = folder.path(`${name}.json`);
    const value =
      content === 'private'
        ? { keys: [await exportPrivate(key.privateKey)] }
        : content === 'secret beside'
          ? { keys: [key.publicJwk, { kty: 'oct', k: 'c2VjcmV0' }] }
          : content;
    if (typeof value === 'string') await writeFile(file, value);
    else if (value !== undefined) await writeJson(file, value);
    const made = create({ AUTH_JWKS_FILE: file });
    expect(E.isLeft(made) ? made.left : 'none').toMatch(new RegExp(`^AUTH_JWKS_FILE .*${reason}`, 'u'));
    expect(E.isLeft(made) ? made.left : '').not.toMatch(/\n|c2VjcmV0/u);
  });

  test('but not for keys of other uses beside, which are not even logged', async () => {
    const file = folder.path('beside.json');
    const kept = recordedLog();
    const others = [
      { kty: 'RSA', use: 'enc' },
      { kty: 'new', key_ops: ['deriveKey'] },
    ];
    await writeJson(file, { keys: [...others, key.publicJwk], issuer: 'us' });
    expect(await who(authenticator({ AUTH_JWKS_FILE: file }, kept), await token(key))).toBe('user-1');
    expect(kept.records).toEqual([]);
  });
});

describe('a key that cannot verify, beside good ones', () => {
  const ec = () => ({ ...key.publicJwk, kid: 'bad' });
  test.each<[what: string, bad: () => unknown, reason: string]>([
    ['null', () => null, 'must be an object'],
    ['a text', () => 'key', 'must be an object'],
    ['a list', () => [], 'must be an object'],
    ['of RSA with 1,024 bits', () => ({ ...small, kid: 'bad' }), 'must have at least 2048 bits'],
    ['of RSA without n', () => ({ kty: 'RSA', kid: 'bad', e: 'AQAB' }), 'is no RSA key'],
    ['of RSA whose n is a number', () => ({ kty: 'RSA', kid: 'bad', e: 'AQAB', n: 5 }), 'is no RSA key'],
    ['of RSA that anyone can sign by', () => ({ ...long, kid: 'bad', e: 'AQ' }), 'must have an odd exponent above 1'],
    ['of EC without y', () => ({ ...ec(), y: undefined }), 'is no EC key'],
    ['of EC off the curve', () => ({ ...ec(), y: ec().x }), 'is no EC key'],
    ['of EC on another curve', () => ({ ...ec(), crv: 'P-384', alg: 'ES384' }), 'is no EC key'],
    ['of another curve', () => ({ ...ec(), crv: 'secp256k1' }), 'is of a kind that is not taken here'],
    ['of another kind', () => ({ kty: 'new', kid: 'bad', d: 'x', k: 'x' }), 'is of a kind that is not taken here'],
    ['whose kind all objects inherit', () => ({ kty: 'EC', kid: 'bad', crv: 'constructor' }), 'is of a kind'],
    ['for an algorithm of other keys', () => ({ ...ec(), alg: 'RS256' }), 'is for an algorithm'],
    ['of a certificate only', () => ({ kid: 'bad', x5c: ['MII='] }), 'is of a kind that is not taken here'],
    ['of more than 64 KiB', () => ({ ...ec(), x5c: ['M'.repeat(70_000)] }), 'must be at most 65536 bytes as JSON'],
  ])('%s is ignored, and logged once', async (what, bad, reason) => {
    const file = folder.path(`ignored-${what}.json`);
    const kept = recordedLog();
    await writeJson(file, { keys: [bad(), key.publicJwk] });
    const made = authenticator({ AUTH_JWKS_FILE: file }, kept);
    expect(await who(made, await token(key))).toBe('user-1');
    expect(await who(made, await token(key, {}, { kid: 'bad' }))).toBe(NO_KEY);
    await writeJson(file, { keys: [bad(), key.publicJwk], more: true });
    await until(() => kept.records.some(({ msg }) => msg === 'a new version is in force'));
    const warnings = kept.records.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([{ msg: 'a key of the key set is ignored', key: expect.any(String) }]);
    expect(warnings[0]?.reason).toContain(reason);
  });

  test('good in itself, with members that do not fit, is taken', async () => {
    const file = folder.path('members.json');
    await writeJson(file, { keys: [{ ...key.publicJwk, key_ops: ['verify', 'encrypt', 'verify'], ext: 'x', x5t: 5 }] });
    expect(await who(authenticator({ AUTH_JWKS_FILE: file }), await token(key))).toBe('user-1');
  });
});

const exportPrivate = async (privateKey: CryptoKey): Promise<Record<string, unknown>> => ({
  ...KeyObject.from(privateKey).export({ format: 'jwk' }),
});

/** A token with a right signature over whatever head and claims. */
const raw = (header: unknown, claims: unknown): string => signedAnyhow(key, header, claims);

const rehead = (jwt: string, header: unknown): string => [part(header), ...jwt.split('.').slice(1)].join('.');
