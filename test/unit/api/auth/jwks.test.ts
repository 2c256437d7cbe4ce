import * as E from 'fp-ts/Either';
import { exportJWK } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKeySetReader } from '../../../../api/auth/jwks';
import { recordedLog } from '../../../support/recorded-log';
import { signingKey, type SigningKey } from './tokens';

let key: SigningKey;
beforeAll(async () => {
  key = await signingKey('ES256', 'one');
});

/** The ids of the keys that were read, or why the set is refused; and the log. */
const read = (...versions: ReadonlyArray<unknown>) => {
  const { log, records } = recordedLog();
  const reader = createKeySetReader(log);
  const found = versions.map((set) =>
    E.match(
      (reason: string): unknown => reason,
      (keys: ReadonlyArray<{ readonly kid?: string }>) => keys.map(({ kid }) => kid),
    )(reader(typeof set === 'string' ? set : JSON.stringify(set))),
  );
  return { found, records };
};

const small = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xc1).toString('base64url') };
const long = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(256, 0xc1).toString('base64url') };
const SECRET = 'must be a public key: it holds a secret';

describe('a key set is refused', () => {
  test.each<[name: string, set: () => unknown, reason: string]>([
    ['that is no JSON', () => 'keys', 'is not valid: must be JSON'],
    ['without keys', () => ({}), 'keys must be an array'],
    ['of no keys', () => ({ keys: [] }), 'keys must hold a public key that verifies signatures'],
    ['of broken keys', () => ({ keys: [small, null] }), 'keys.0 must have at least 2048 bits (and 1 more)'],
    ['that holds a shared secret', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }), `keys.0 ${SECRET}`],
    ['with a secret beside', () => ({ keys: [key.publicJwk, { kty: 'oct', k: 'c2VjcmV0' }] }), `keys.1 ${SECRET}`],
    ['for encryption only', () => ({ keys: [{ ...long, use: 'enc' }] }), 'keys must hold a public key'],
    ['of HMAC only', () => ({ keys: [{ ...long, alg: 'HS256' }] }), 'keys.0 is for an algorithm that is not taken'],
  ])('%s, in one line', (_, set, reason) => {
    const [refused] = read(set()).found;
    expect(refused).toContain(reason);
    expect(refused).not.toMatch(/\n|c2VjcmV0/u);
  });

  test('that holds a private key', async () => {
    expect(read({ keys: [await exportJWK(key.privateKey)] }).found[0]).toContain(`keys.0 ${SECRET}`);
  });
});

describe('a key that cannot verify, beside a good one', () => {
  const ec = () => ({ ...key.publicJwk, kid: 'bad' });
  test.each<[what: string, bad: () => unknown, reason: string]>([
    ['null', () => null, 'must be an object'],
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
  ])('%s is ignored, and logged once', (_, bad, reason) => {
    const { found, records } = read({ keys: [bad(), key.publicJwk] }, { keys: [bad(), key.publicJwk], more: true });
    expect(found).toEqual([['one'], ['one']]);
    expect(records).toMatchObject([
      { level: 'warn', msg: 'a key of the key set is ignored', key: expect.any(String) as string },
    ]);
    expect(records[0]?.['reason']).toContain(reason);
  });

  test('is not even logged where it is of another use', () => {
    const others = [
      { kty: 'RSA', use: 'enc' },
      { kty: 'new', key_ops: ['deriveKey'] },
    ];
    const { found, records } = read({ keys: [...others, key.publicJwk], issuer: 'us' });
    expect([found, records]).toEqual([[['one']], []]);
  });
});

test('a good key with members that do not fit is taken', () => {
  const { found } = read({ keys: [{ ...key.publicJwk, key_ops: ['verify', 'encrypt', 'verify'], ext: 'x', x5t: 5 }] });
  expect(found).toEqual([['one']]);
});
