import * as E from 'fp-ts/Either';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createRemoteKeySet, type KeySet } from '../../../../api/auth/key-set';
import { recordedLog } from '../../../support/recorded-log';
import { signingKey, type SigningKey } from './tokens';

let one: SigningKey;
let two: SigningKey;
/** What the URL answers; a rejection is a server that is unavailable. */
let answer: () => Promise<Response>;
let fetches: number;
const open: KeySet[] = [];

beforeAll(async () => {
  [one, two] = await Promise.all([signingKey('ES256', 'one'), signingKey('ES256', 'two')]);
});
beforeEach(() => {
  vi.useFakeTimers();
  fetches = 0;
  answer = () => set(one.publicJwk);
  vi.stubGlobal('fetch', () => {
    fetches += 1;
    return answer();
  });
});
afterEach(() => {
  open.splice(0).forEach(({ close }) => close());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const answers = (body: string, how?: ResponseInit) => Promise.resolve(new Response(body, how));
const set = (...keys: ReadonlyArray<unknown>) => answers(JSON.stringify({ keys }));
const unavailable = () => Promise.reject(new Error('connect ECONNREFUSED'));

const started = (options: Partial<Parameters<typeof createRemoteKeySet>[0]> = {}) => {
  const { log, records } = recordedLog();
  const made = createRemoteKeySet({
    url: 'http://issuer/jwks',
    log,
    cooldownMs: 5_000,
    maxAgeMs: 86_400_000,
    ...options,
  });
  open.push(made);
  /** How many keys fit, or the failure's tag. */
  const fitting = async (kid: string): Promise<number | string> => {
    const found = await made.keysFor({ alg: 'ES256', kid })();
    return E.isRight(found) ? found.right.length : found.left._tag;
  };
  return { made, records, fitting };
};

test('the set is fetched once for many callers', async () => {
  const { fitting } = started();
  expect(await Promise.all(Array.from({ length: 50 }, () => fitting('one')))).toEqual(Array(50).fill(1));
  expect(fetches).toBe(1);
});

test('the version stays while the set does, is none while it is fetched, and rises with another set', async () => {
  const { made } = started({ refreshMs: 1_000 });
  expect(made.version()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(5_500);
  expect([fetches, made.version()]).toEqual([6, 1]);
  answer = () => set(two.publicJwk);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(made.version()).toBe(2);
});

test('keys stay in force while the URL is unavailable, an unknown one is an outage, and all of it heals and is logged once', async () => {
  const { fitting, records } = started({ cooldownMs: 0, failureCooldownMs: 200 });
  expect(await fitting('one')).toBe(1);
  answer = unavailable;
  expect(await fitting('two')).toBe('Unavailable');
  expect(await fitting('two')).toBe('Unavailable');
  expect(await fitting('one')).toBe(1);
  answer = () => set(one.publicJwk, two.publicJwk);
  expect(await fitting('two')).toBe('Unavailable');
  await vi.advanceTimersByTimeAsync(200);
  expect(await fitting('two')).toBe(1);
  expect(records.map(({ level, msg }) => [level, msg])).toEqual([
    ['error', 'the key set cannot be fetched'],
    ['info', 'the key set can be fetched again'],
  ]);
});

test('the age of the keys counts from their last fetch', async () => {
  const { made } = started({ refreshMs: 60_000 });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(made.age()).toBeCloseTo(59);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(made.age()).toBeCloseTo(1);
  answer = unavailable;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(made.age()).toBeCloseTo(61);
});

test('a URL that fails is asked three times a minute without any token, and the reason is logged each minute; then it is left alone', async () => {
  answer = unavailable;
  const { records } = started();
  await vi.advanceTimersByTimeAsync(130_000);
  expect(fetches).toBe(7);
  expect(records.map(({ msg }) => msg)).toEqual(Array(3).fill('the key set cannot be fetched'));
  answer = () => set(one.publicJwk);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(records.at(-1)?.msg).toBe('the key set can be fetched again');
  const before = fetches;
  await vi.advanceTimersByTimeAsync(140_000);
  expect(fetches).toBe(before);
});

test('a set that was just fetched is not fetched again for every unknown key that comes', async () => {
  const { fitting } = started({ cooldownMs: 60_000 });
  for (let attempt = 0; attempt < 20; attempt += 1) expect(await fitting(`unknown-${attempt}`)).toBe(0);
  expect(fetches).toBe(1);
});

test('a URL that fails is asked again only after a pause, however many tokens come', async () => {
  answer = () => answers('', { status: 500 });
  const { fitting } = started({ failureCooldownMs: 60_000 });
  for (let attempt = 0; attempt < 20; attempt += 1) expect(await fitting('one')).toBe('Unavailable');
  expect(fetches).toBe(1);
});

test.each<[name: string, broken: () => Promise<Response>, reason: string]>([
  ['another status', () => answers('no', { status: 404 }), 'it answers 404'],
  ['a secret', () => set({ kty: 'oct', k: 'AA' }), 'is not valid: keys.0 must be a public key: it holds a secret'],
  ['more than a mebibyte', () => answers(' '.repeat(1_048_577)), 'it sends more than 1048576 bytes'],
])('an answer of %s is refused, and the keys before stay', async (_, broken, reason) => {
  const { fitting, records } = started({ refreshMs: 1_000, failureCooldownMs: 0 });
  expect(await fitting('one')).toBe(1);
  answer = broken;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(fetches).toBe(4);
  expect(await fitting('one')).toBe(1);
  expect(records.map((record) => record['reason'])).toEqual([reason]);
});

test('the body of an answer that is no key set is let go', async () => {
  const cancelled = vi.fn();
  answer = () => Promise.resolve(new Response(new ReadableStream({ cancel: cancelled }), { status: 502 }));
  const { fitting } = started();
  expect(await fitting('one')).toBe('Unavailable');
  expect(cancelled).toHaveBeenCalledTimes(fetches);
});
