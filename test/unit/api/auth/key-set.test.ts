import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRemoteKeySet, type KeySet } from '../../../../api/auth/key-set';
import { recordedLog } from '../../../support/recorded-log';
import { signingKey, type SigningKey, until } from './tokens';

let one: SigningKey;
let two: SigningKey;
let server: Server;
let url: string;
let answer: { status?: number; body?: string; hangs?: boolean; headers?: Record<string, string> };
let fetches: number;
const open: { readonly close: () => void }[] = [];

beforeAll(async () => {
  [one, two] = await Promise.all([signingKey('ES256', 'one'), signingKey('ES256', 'two')]);
});
beforeEach(async () => {
  fetches = 0;
  answer = { body: JSON.stringify({ keys: [one.publicJwk] }) };
  server = createServer((_, response) => {
    fetches += 1;
    if (answer.hangs !== true) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  await listen(15_000 + Math.floor(Math.random() * 14_000));
});
afterEach(async () => {
  open.splice(0).forEach(({ close }) => close());
  await stop();
});

const listen = async (port: number): Promise<void> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
};
const stop = async (): Promise<void> => {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
};
const keySet = (options: Partial<Parameters<typeof createRemoteKeySet>[0]> = {}) => {
  const { log, records } = recordedLog();
  const made = createRemoteKeySet({ url, log, ...options });
  open.push(made);
  return { made, records };
};
/** How many keys fit, or the failure's tag. */
const fitting = async ({ keysFor }: KeySet, kid: string): Promise<number | string> => {
  const found = await keysFor({ alg: 'ES256', kid })();
  return E.isRight(found) ? found.right.length : found.left._tag;
};

test('the set is fetched once for many callers', async () => {
  const { made } = keySet();
  expect(await Promise.all(Array.from({ length: 50 }, () => fitting(made, 'one')))).toEqual(Array(50).fill(1));
  expect(fetches).toBe(1);
});

test('the version stays while the set does, and is none while it is fetched', async () => {
  const { made } = keySet({ refreshMs: 50 });
  expect(made.version()).toBeUndefined();
  await until(() => fetches > 5);
  await until(() => made.version() !== undefined);
  expect(made.version()).toBe(1);
});

test('keys stay in force while the URL is unavailable, an unknown one is an outage, and all of it heals and is logged once', async () => {
  const { made, records } = keySet({ cooldownMs: 0, failureCooldownMs: 200 });
  expect(await fitting(made, 'one')).toBe(1);
  const { port } = server.address() as AddressInfo;
  await stop();
  expect(await fitting(made, 'two')).toBe('Unavailable');
  expect(await fitting(made, 'two')).toBe('Unavailable');
  expect(await fitting(made, 'one')).toBe(1);
  answer = { body: JSON.stringify({ keys: [one.publicJwk, two.publicJwk] }) };
  await listen(port);
  await until(async () => (await fitting(made, 'two')) === 1);
  expect(records.map(({ level, msg }) => [level, msg])).toEqual([
    ['error', 'the key set cannot be fetched'],
    ['info', 'the key set can be fetched again'],
  ]);
});

test('a broken key beside good ones is ignored and logged once, however often the set is fetched', async () => {
  const broken = [null, { kty: 'RSA', e: 'AQAB', kid: 'other' }];
  answer = { body: JSON.stringify({ keys: [...broken, one.publicJwk, two.publicJwk] }) };
  const { made, records } = keySet({ refreshMs: 50 });
  expect(await fitting(made, 'one')).toBe(1);
  expect(await fitting(made, 'other')).toBe(0);
  await until(() => fetches > 5);
  expect(records).toMatchObject([
    { level: 'warn', msg: 'a key of the key set is ignored', key: 'keys.0', reason: 'must be an object' },
    { level: 'warn', msg: 'a key of the key set is ignored', key: 'other', reason: 'is no RSA key' },
  ]);
});

test('the age of the keys counts from their last fetch', async () => {
  const { made } = keySet({ refreshMs: 100 });
  await until(() => fetches > 0);
  await stop();
  await sleep(300);
  const before = made.age();
  expect(before).toBeGreaterThan(0.2);
  await sleep(50);
  expect(made.age()).toBeGreaterThan(before);
});

test('a URL that fails is asked again only after a pause, however many tokens come', async () => {
  answer = { status: 500 };
  const { made } = keySet({ failureCooldownMs: 60_000 });
  for (let attempt = 0; attempt < 20; attempt += 1) expect(await fitting(made, 'one')).toBe('Unavailable');
  expect(fetches).toBe(1);
});

test.each([
  ['another status', () => ({ status: 404, body: 'no' }), 'it answers 404'],
  ['another place', () => ({ status: 302, headers: { location: '/elsewhere' } }), 'it answers 302'],
  ['no JSON', () => ({ body: '<html>' }), 'is not JSON'],
  ['no keys', () => ({ body: '{"keys": []}' }), 'is not valid: keys must hold a public key that verifies signatures'],
  [
    'a shared secret',
    () => ({ body: '{"keys": [{"kty": "oct", "k": "AA"}]}' }),
    'is not valid: keys.0 must be a public key: it holds a secret',
  ],
])('an answer of %s is refused, and the keys before stay', async (_, broken, reason) => {
  const { made, records } = keySet({ refreshMs: 60, failureCooldownMs: 0 });
  expect(await fitting(made, 'one')).toBe(1);
  answer = broken();
  const before = fetches;
  await until(() => fetches > before + 2);
  expect(await fitting(made, 'one')).toBe(1);
  expect(records.map((record) => record['reason'])).toEqual([reason]);
});
