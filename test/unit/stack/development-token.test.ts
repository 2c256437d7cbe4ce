import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AUDIENCE, developmentKey, developmentToken, ISSUER, tokenRequest } from '../../../dev/stack/dev-auth';
import { leftOf } from '../../support/either';
import { folderOfTest } from '../../support/temporary-folder';

const user = '11111111-2222-4333-8444-555555555555';

const publicKeys = (folder: string): JSONWebKeySet => JSON.parse(readFileSync(join(folder, 'jwks.json'), 'utf8'));

test('the public keys verify a token, with its user and validity', async () => {
  const folder = folderOfTest();
  const token = await developmentToken(folder, { user, ttlSeconds: 60 });
  const rules = { issuer: ISSUER, audience: AUDIENCE, algorithms: ['ES256'] };
  const { payload } = await jwtVerify(token, createLocalJWKSet(publicKeys(folder)), rules);
  expect(payload.sub).toBe(user);
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
});

test('only the owner reads the private key, and the public ones do not hold it', async () => {
  const folder = folderOfTest();
  await developmentKey(folder);
  expect(statSync(join(folder, 'private.jwk.json')).mode & 0o777).toBe(0o600);
  expect(Object.keys(publicKeys(folder).keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test('a file that holds no key is a fault, not replaced', async () => {
  const text = '{"kty":"EC"}';
  const folder = folderOfTest();
  writeFileSync(join(folder, 'private.jwk.json'), text);
  await expect(developmentKey(folder)).rejects.toThrow(`the development key in ${folder} does not work: `);
  expect(readFileSync(join(folder, 'private.jwk.json'), 'utf8')).toBe(text);
});

test.each([
  ['a user that is no UUID', ['--user', 'anna'], /^--user anna is no UUID$/],
  ['a time without a unit', ['--ttl', '60'], /^--ttl 60 is no time/],
  ['a time beyond ten years', ['--ttl', '99999d'], /^--ttl 99999d is no time/],
  ['an option that there is not', ['--admin'], /--admin/],
])('%s is refused in one line', (_, args, line) => {
  const refused = leftOf(tokenRequest(args));
  expect(refused).toMatch(line);
  expect(refused).not.toContain('\n');
});
