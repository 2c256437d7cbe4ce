import { createHmac } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ApiSettings } from '../../process/settings';
import {
  part,
  replaceByRename,
  seconds,
  signedAnyhow,
  signingKey,
  temporaryFolder,
  token,
  writeJson,
  type SigningKey,
} from '../unit/api/auth/tokens';
import { call, exchange, type Reply } from '../support/api/call';
import { ADMIN, OTHER_POINT, POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { startAnsweringServer, type Answer, type AnsweringServer } from '../support/answering-server';
import { raw, replyIn } from '../support/api/raw';
import { apiOfTest, startApi, type Api } from '../support/api/start-api';

const PATH = `/v1/alarm-status/${POINT}/status/external`;
const kinds = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

let api: Api;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let elsewhere: AnsweringServer;
let keys: ReadonlyMap<string, SigningKey>;
let stranger: SigningKey;

const settings = () => ({ AUTH_JWKS_FILE: folder.path('jwks.json'), AUTH_ISSUER: 'us', AUTH_AUDIENCE: 'point-alarm' });

beforeAll(async () => {
  folder = await temporaryFolder();
  keys = new Map(await Promise.all(kinds.map(async (alg) => [alg, await signingKey(alg, alg)] as const)));
  stranger = await signingKey('ES256', 'ES256');
  elsewhere = await startAnsweringServer({ keys: [{ ...stranger.publicJwk, kid: 'elsewhere' }] });
  const file = folder.path('jwks.json');
  await writeJson(file, {
    keys: [...keys.values(), await signingKey('ES256', 'second')].map(({ publicJwk }) => publicJwk),
  });
  api = await startApi({ settings: settings() });
});
afterAll(async () => {
  await api.close();
  await elsewhere.close();
  await folder.remove();
});

const key = (alg = 'ES256'): SigningKey => {
  const found = keys.get(alg);
  if (found === undefined) throw new Error(alg);
  return found;
};

/** What every good token says. */
const good = () => ({ sub: ADMIN, iss: 'us', aud: 'point-alarm', exp: seconds() + 60 });
const HEAD = { alg: 'ES256', kid: 'ES256' };
const goodToken = (more: object = {}, header: object = {}) => token(key(), { ...good(), ...more }, header);
const anyhow = (header: unknown, claims: unknown): string => signedAnyhow(key(), header, claims);
/** Claims as text, in which a member can be given anyhow. */
const claiming = (member: string): string => `{"sub":"${ADMIN}","iss":"us","aud":"point-alarm",${member}}`;

const write = (headers: Readonly<Record<string, string>>, path = PATH): Promise<Reply> => {
  const body = Buffer.from('{"status": 3}');
  const about = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  return exchange(api, 'PUT', path, { ...about, ...headers }, body);
};

/** What `attack` comes to, and that it changed nothing: what a node stores and what it has to publish is in the snapshot. */
const refused = async (attack: () => Promise<Reply>, status = 401, type = 'invalid-authentication-token') => {
  const before = api.nodes.snapshot();
  const reply = await attack();
  const problem = expectProblem(reply, { status, type });
  expect(api.nodes.snapshot()).toBe(before);
  if (status === 401) expect(reply.headers['www-authenticate']).toBe('Bearer');
  return problem;
};

const hmac = (secret: string | Buffer, header: { readonly alg: string; readonly kid?: string }): string => {
  const signed = `${part(header)}.${part(good())}`;
  return `${signed}.${createHmac(header.alg.replace('HS', 'sha'), secret).update(signed).digest('base64url')}`;
};

const pem = async (of: SigningKey): Promise<string> => {
  const publicKey = await importJWK({ ...of.publicJwk, ext: true }, of.alg);
  return publicKey instanceof Uint8Array ? '' : exportSPKI(publicKey);
};

const parts = (jwt: string): readonly [string, string, string] => {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  return [header, claims, signature];
};

describe('a token is taken', () => {
  test.each(kinds)('signed by %s, and what it asks for is done', async (alg) => {
    api.nodes.forget();
    const before = api.nodes.snapshot();
    const reply = await write({ Authorization: `Bearer ${await token(key(alg), good())}` });
    expect(reply.status, reply.text).toBe(204);
    expect(api.nodes.snapshot()).not.toBe(before);
  });

  test.each([
    ['without a key id where several keys fit', () => anyhow({ alg: 'ES256' }, good())],
    ['with a key of a stranger in its head, which nobody looks at', () => goodToken({}, { jwk: stranger.publicJwk })],
    ['for several audiences, of which we are one', () => goodToken({ aud: ['x', 'point-alarm'] })],
    ['by a clock that is 3 s behind', () => goodToken({ exp: seconds() - 3 })],
    ['by a clock that is 3 s ahead', () => goodToken({ nbf: seconds() + 3 })],
  ])('%s', async (_, attack) => expect((await write({ Authorization: await attack() })).status).toBe(204));

  const users = ['auth0|5f7c8ec7', 'ada@example.org', '0B6F0C1A-7C55-4C3B-8A54-6C0E5B1F2D3E', 'Ada Łovelace', '*'];
  test.each([...users, 'x'.repeat(256)])('of the user %j', async (sub) => {
    const attack = async () => write({ Authorization: await goodToken({ sub }) });
    expect((await refused(attack, 403, 'unauthorized-resource')).userId).toBe(sub);
  });
});

describe('where tokens need no expiry, and name their user by another claim', () => {
  let lax: Api;
  beforeAll(async () => {
    lax = await startApi({ settings: { ...settings(), AUTH_REQUIRE_EXP: false, AUTH_USER_CLAIM: 'constructor' } });
    return () => lax.close();
  });
  const named = (exp: unknown) => anyhow(HEAD, { ...good(), constructor: ADMIN, exp });
  const status = async (jwt: string): Promise<number> =>
    (await exchange(lax, 'GET', `/v1/alarm-status/${POINT}`, { Authorization: jwt })).status;

  test('one without is taken, and one that has passed is not', async () => {
    expect(await status(named(undefined))).toBe(200);
    expect(await status(named(seconds() - 60))).toBe(401);
    expect(await status(named(null))).toBe(401);
  });

  test('one that only inherits the claim names nobody', async () => expect(await status(await goodToken())).toBe(401));
});

/** `why`: what the answer says of the token. Each reason stands with one attack at least. */
type Attack = readonly [name: string, token: () => Promise<string> | string, why?: string];

const NO_JWT = 'is no JWT';
const NO_ALGORITHM = 'is not signed by an algorithm that is taken here';
const NO_KEY = 'is not signed by a key that is known here';
const BAD_SIGNATURE = 'has a signature that does not fit';
const NO_EXPIRY = 'has no expiry (exp), and only tokens that expire are taken';
const NOT_VALID = 'is not valid';
const NO_USER = 'names no user: its claim "sub" must be text of 1 to 256 printable characters';
const badClaim = (claim: string): string => `is not valid here or now: claim "${claim}"`;

const unsigned: ReadonlyArray<Attack> = [
  ...['none', 'nOnE', ''].flatMap((alg): ReadonlyArray<Attack> => [
    [`the algorithm ${JSON.stringify(alg)}`, () => `${part({ alg, kid: 'ES256' })}.${part(good())}.`, NO_ALGORITHM],
    [`the algorithm ${JSON.stringify(alg)} and a signature`, () => anyhow({ alg, kid: 'ES256' }, good())],
  ]),
  ['no algorithm', () => anyhow({ kid: 'ES256' }, good())],
  ['an algorithm that is a list', () => anyhow({ alg: ['ES256'] }, good()), NO_ALGORITHM],
  ['no signature', async () => (await goodToken()).replace(/\.[^.]*$/u, ''), NO_JWT],
  ['an empty signature', async () => (await goodToken()).replace(/[^.]*$/u, '')],
];

const confused: ReadonlyArray<Attack> = [
  ['HS256 by the public RSA key as PEM', async () => hmac(await pem(key('RS256')), { alg: 'HS256', kid: 'RS256' })],
  ['HS256 by the public key as JWK', () => hmac(JSON.stringify(key().publicJwk), { ...HEAD, alg: 'HS256' })],
  ['HS256 by nothing', () => hmac('', { alg: 'HS256' })],
  ['an ES256 signature under the id of an RSA key', () => anyhow({ alg: 'ES256', kid: 'RS256' }, good()), NO_KEY],
  ['an ES256 signature that says RS256', () => anyhow({ alg: 'RS256', kid: 'RS256' }, good())],
  ['an RSA signature of another padding', () => token(key('PS256'), good(), { kid: 'RS256' }), NO_KEY],
];

const foreign: ReadonlyArray<Attack> = [
  ["another's key under our id", () => token(stranger, good()), BAD_SIGNATURE],
  ["another's key without an id, though several fit", () => signedAnyhow(stranger, { alg: 'ES256' }, good())],
  ['an unknown id', () => goodToken({}, { kid: 'unknown' }), NO_KEY],
  ['an id that every object inherits', () => goodToken({}, { kid: '__proto__' })],
  ['its own key', () => token(stranger, good(), { jwk: stranger.publicJwk })],
];

const reshaped: ReadonlyArray<Attack> = [
  ['a head that must be understood', () => anyhow({ ...HEAD, crit: ['x'], x: 1 }, good()), NOT_VALID],
  ['the signature of another token', async () => replaceSignature(await goodToken(), await goodToken({ jti: 'x' }))],
  ['changed claims', async () => (await goodToken()).replace(/\.[^.]*\./u, `.${part({ ...good(), sub: 'x' })}.`)],
  ['loose bits after the signature', async () => looseBits(await goodToken())],
  ['padding', async () => `${await goodToken()}==`],
  ['a fourth part', async () => `${await goodToken()}.${part('x')}`],
  ['two schemes', async () => `Bearer Bearer ${await goodToken()}`],
  ['another scheme', async () => `Basic ${await goodToken()}`],
  ['claims that are not UTF-8', () => anyhow(HEAD, Buffer.from(claiming('"x":"\xff"'), 'latin1'))],
  ['claims that are a list', () => anyhow(HEAD, [good()])],
  ['claims that are no JSON', () => anyhow(HEAD, 'admin'), NOT_VALID],
  ['two algorithms', () => anyhow(`{"alg":"none","kid":"ES256","alg":"ES256"}`, good())],
  ['two users', () => anyhow(HEAD, claiming(`"exp":${seconds() + 60},"sub":"${ADMIN}"`)), NOT_VALID],
  ['claims that nest too deep', () => anyhow(HEAD, claiming(`"x":${'['.repeat(2_000)}${']'.repeat(2_000)}`))],
];

const misplaced: ReadonlyArray<Attack> = [
  ['no expiry', () => anyhow(HEAD, { ...good(), exp: undefined }), NO_EXPIRY],
  ['an expiry that only every object inherits', () => anyhow(HEAD, claiming('"__proto__":{"exp":9999999999}'))],
  ['an expiry in its head', () => anyhow({ ...HEAD, exp: seconds() + 60 }, { ...good(), exp: undefined })],
  ['an expiry that has passed', () => goodToken({ exp: seconds() - 7 }), 'has expired'],
  ['a time before which it is nothing', () => goodToken({ nbf: seconds() + 10 }), badClaim('nbf')],
  ...['exp', 'nbf', 'iat'].flatMap((claim) =>
    [`"${seconds() + 60}"`, 'null', '1e999'].map((value): Attack => [
      `${claim}: ${value.replace(/\d{9,}/u, '(digits)')}`,
      () => anyhow(HEAD, claiming(`"${claim}":${value}`)),
    ]),
  ),
  ['another issuer', () => goodToken({ iss: 'them' })],
  ['no issuer', () => anyhow(HEAD, { ...good(), iss: undefined })],
  ['another audience', () => goodToken({ aud: 'point-alarms' })],
  ['several audiences without ours', () => goodToken({ aud: ['x', 'y'] })],
  ['no audience', () => anyhow(HEAD, { ...good(), aud: undefined })],
  ['no user', () => anyhow(HEAD, { ...good(), sub: undefined }), NO_USER],
  ['a user of 257 characters', () => goodToken({ sub: 'x'.repeat(257) }), NO_USER],
  ...['\n', '\u202e'].map((mark): Attack => [
    `a user with ${JSON.stringify(mark)}`,
    () => anyhow(HEAD, claiming(`"exp":${seconds() + 60}`).replace(ADMIN, JSON.stringify(`a${mark}b`).slice(1, -1))),
  ]),
  ['a user that is a number', () => anyhow(HEAD, { ...good(), sub: 7 })],
  [
    'an expiry in the past, by the first of two keys that fit',
    () => anyhow({ alg: 'ES256' }, { ...good(), exp: 1 }),
    'has expired',
  ],
  ['no expiry, by the first of two', () => anyhow({ alg: 'ES256' }, { ...good(), exp: undefined }), NO_EXPIRY],
  ['another audience, by the first of two', () => anyhow({ alg: 'ES256' }, { ...good(), aud: 'x' }), badClaim('aud')],
  ['claims that are no object, by the first of two', () => anyhow({ alg: 'ES256' }, '[]'), NOT_VALID],
];

const replaceSignature = (one: string, other: string): string => one.replace(/[^.]*$/u, parts(other)[2]);

/** The token with a last character of the same bytes: the 86th of an ES256 signature has four bits that nobody reads. */
const looseBits = (jwt: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return jwt.slice(0, -1) + alphabet.charAt(alphabet.indexOf(jwt.slice(-1)) + 1);
};

describe.each<readonly [string, ReadonlyArray<Attack>]>([
  ['without a signature', unsigned],
  ['of a confused algorithm', confused],
  ['of a foreign key', foreign],
  ['of another shape', reshaped],
  ['not for us, not now, or of nobody', misplaced],
])('a token %s', (_, attacks) => {
  test.each(attacks.map(([name, attack, why = '']) => [name, attack, why] as const))(
    'is refused: %s',
    async (__, attack, why) => {
      const jwt = await attack();
      const { detail } = await refused(() => write({ Authorization: jwt.includes(' ') ? jwt : `Bearer ${jwt}` }));
      expect(detail).toContain(`The token ${why}`);
    },
  );
});

test('what a token names is never fetched', async () => {
  for (const name of ['jku', 'x5u', 'iss', 'kid']) {
    await refused(async () => write({ Authorization: await token(stranger, good(), { [name]: elsewhere.url }) }));
  }
  expect(elsewhere.asked.length).toBe(0);
  expect((await fetch(elsewhere.url)).status).toBe(200); // it would have been counted
  expect(elsewhere.asked.length).toBe(1);
});

describe('a token that is not where it belongs', () => {
  const missing = [401, 'missing-authentication-token'] as const;

  test.each([
    ['in the query', async () => write({}, `${PATH}?access_token=${await goodToken()}`)],
    ['in a cookie', async () => write({ Cookie: `Authorization=${await goodToken()}` })],
    ['in a header of another name', async () => write({ 'X-Authorization': await goodToken() })],
    ['in a header for proxies', async () => write({ 'Proxy-Authorization': await goodToken() })],
    ['behind a scheme alone', () => write({ Authorization: 'Bearer' })],
  ])('is none: %s', async (_, attack) => {
    await refused(attack, ...missing);
  });

  const head = `PUT ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 13\r\n`;
  const send = async (lines: ReadonlyArray<string>): Promise<Reply> =>
    replyIn(await raw(api, `${head}${lines.join('\r\n')}\r\n\r\n{"status": 3}`));

  test('is refused when there are two, in either order, also alike', async () => {
    const [one, other] = [`Authorization: ${await goodToken()}`, `authorization: ${await token(stranger, good())}`];
    for (const lines of [
      [one, other],
      [other, one],
      [one, one],
    ]) {
      const problem = await refused(() => send(lines), 400, 'invalid-request');
      expect(problem.reasons).toEqual([{ name: 'Authorization', reason: 'is given more than once' }]);
    }
    expect((await send([one])).status).toBe(204);
  });

  test('is refused on a folded line', async () => {
    const jwt = await goodToken();
    await refused(() => send([`Authorization: Bearer\r\n ${jwt}`]), 400, 'invalid-request');
  });

  test('is refused when the head is too large for it', async () => {
    const jwt = await goodToken({ pad: 'x'.repeat(20_000) });
    await refused(() => send([`Authorization: ${jwt}`]), 431, 'request-header-fields-too-large');
  });
});

describe('keys by URL', () => {
  /** An API of its own whose keys are those of the server. */
  const withServer = async (first: Answer, times: Partial<ApiSettings> = {}) => {
    const jwks = await startAnsweringServer(first);
    onTestFinished(jwks.close);
    const served = await apiOfTest({ settings: { AUTH_JWKS_URL: jwks.url, ...times } });
    const puts = (jwt: string): Promise<Reply> =>
      call(served, { method: 'PUT', path: PATH, user: null, headers: { Authorization: jwt }, body: { status: 3 } });
    return { served, jwks, puts };
  };

  const unavailable = { status: 503, type: 'unavailable' };

  test('stay in force for their time while the URL fails; then nobody is known, not even who was a moment ago', async () => {
    const times = { AUTH_JWKS_MAX_AGE_MS: 1_500, AUTH_JWKS_COOLDOWN_MS: 100 };
    const { served, jwks, puts } = await withServer({ keys: [key().publicJwk] }, times);
    const jwt = await goodToken();
    expect((await puts(jwt)).status).toBe(204);
    jwks.answer((_, response) => response.writeHead(500).end());
    expect((await puts(jwt)).status).toBe(204);
    await expect.poll(async () => (await puts(jwt)).status, { timeout: 5_000 }).toBe(503);
    const before = served.nodes.snapshot();
    const reply = await puts(jwt);
    expect(expectProblem(reply, unavailable).mayHaveChanged).toBe(false);
    expect(reply.headers['retry-after']).toBe('5');
    expectProblem(await puts(await goodToken({ jti: 'x' })), unavailable);
    expect(served.nodes.snapshot()).toBe(before);
    jwks.answer({ keys: [key().publicJwk] });
    await expect.poll(async () => (await puts(jwt)).status, { timeout: 10_000 }).toBe(204);
  });

  const broken: ReadonlyArray<readonly [string, Answer]> = [
    ['hangs', () => undefined],
    [
      'sends a byte now and then',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'never ends',
      (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    ['leads elsewhere', (_, response) => response.writeHead(302, { Location: elsewhere.url }).end()],
    ['cuts the connection', (request) => request.socket.destroy()],
  ];

  test.each(broken)('of a server that %s are never known, and that is an outage', async (_, how) => {
    const before = elsewhere.asked.length;
    const { served, puts } = await withServer(how);
    expectProblem(await puts(await token(stranger, good(), { kid: 'elsewhere' })), unavailable);
    expect(served.nodes.snapshot()).toBe('[]');
    expect(elsewhere.asked.length).toBe(before);
  });
});

test('keys that leave their file are refused, though a token of theirs was taken', async () => {
  const file = folder.path('rotated.json');
  await writeJson(file, { keys: [key().publicJwk] });
  const rotated = await apiOfTest({ settings: { AUTH_JWKS_FILE: file } });
  const [old, next] = [await goodToken(), await token(key('EdDSA'), good())];
  const statusOf = async (jwt: string): Promise<number> =>
    (await exchange(rotated, 'GET', `/v1/alarm-status/${POINT}`, { Authorization: jwt })).status;
  expect([await statusOf(old), await statusOf(next)]).toEqual([200, 401]);
  await replaceByRename(file, { keys: [key('EdDSA').publicJwk] });
  await expect.poll(() => statusOf(next), { timeout: 5_000 }).toBe(200);
  expect(await statusOf(old)).toBe(401);
});

test('no attack reached another node', async () => {
  expect((await call(api, { method: 'GET', path: `/v1/alarm-status/${OTHER_POINT}`, user: null })).status).toBe(401);
  expect(api.nodes.snapshot()).not.toContain(OTHER_POINT);
});
