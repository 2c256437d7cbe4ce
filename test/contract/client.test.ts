import { getEventListeners } from 'node:events';
import * as TE from 'fp-ts/TaskEither';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPointAlarmClient, unjudged, type ClientSettings, type TryFailure, type Result } from '../../client';
import type { PointAlarms } from '../../api/ports';
import { call } from '../support/api/call';
import { leftOf, rightOf } from '../support/either';
import { ADMIN, MACHINE, NOBODY, POINT } from '../support/api/callers';
import { apiOfTest, startApi, type Api } from '../support/api/start-api';
import { forFile } from '../support/for-file';

const api = forFile(startApi, ({ close }) => close());
let token: string;
beforeAll(async () => {
  token = await api.callers.token(ADMIN);
});
beforeEach(() => api.nodes.forget());

const baseUrl = ({ port }: Api): string => `http://127.0.0.1:${port}/`;
const clientOf = (more: Partial<ClientSettings> = {}) =>
  createPointAlarmClient({ baseUrl: baseUrl(api), token, ...more });

const value = async <A>(result: Result<A>): Promise<A> => rightOf(await result);
const failure = async (result: Result<unknown>) => leftOf(await result);

const overall = { unit: 'mm/s', outerHigh: 11.2, innerHigh: 7.1, innerLow: 0, outerLow: 0 };
const threshold = { thresholdType: 2, overall } as const;
const measurement = {
  measurementId: '0d1d5b0c-58b7-4b5b-8a53-6a3c3d0f4c11',
  createdAt: '2026-01-31T10:00:00.000Z',
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 1, y: 8 }, xUnit: 's', yUnit: 'mm/s' },
} as const;

describe('the client', () => {
  test('sets, reads and patches a threshold, each with its tag', async () => {
    const client = clientOf();
    expect(await value(client.setThreshold(POINT.toUpperCase(), threshold))).toEqual({ etag: '"1"' });
    const read = await value(client.getThreshold(POINT));
    expect(read).toEqual({ etag: '"1"', threshold: { nodeId: POINT, ...threshold } });
    const operations = [{ op: 'replace', path: '/overall/innerHigh', value: 6 }] as const;
    const patched = await value(client.patchThreshold(POINT, operations, { ifMatch: read.etag }));
    expect(patched).toEqual({ etag: '"2"', threshold: { ...read.threshold, overall: { ...overall, innerHigh: 6 } } });
  });

  test('reads the limits of bands by either name, gives them one, and takes them back', async () => {
    const other = await apiOfTest({ settings: { BAND_THRESHOLD_NAME: 'overallThreshold' } });
    const client = clientOf({ baseUrl: baseUrl(other), token: await other.callers.token(ADMIN) });
    const limits = { upperAlert: { value: 1, valueType: 1 } } as const;
    await value(client.setThreshold(POINT, { bandAlarms: [{ overallThreshold: limits }] }));
    const shown = { nodeId: POINT, bandAlarms: [{ overallAlarmThreshold: limits }] };
    expect((await value(client.getThreshold(POINT))).threshold).toEqual(shown);
    expect((await value(client.patchThreshold(POINT, []))).threshold).toEqual(shown);
    expect(await value(client.getThresholds([POINT]))).toEqual([shown]);
    await value(client.setThreshold(POINT, shown));
    expect((await value(client.getThreshold(POINT))).threshold).toEqual(shown);
    expect((await call(other, { method: 'GET', path: `/v1/point-alarm-threshold/${POINT}` })).text).toContain(
      'overallThreshold',
    );
  });

  test('updates the status by a measurement and without one, sets the external alarm, and reads them', async () => {
    const client = clientOf();
    await value(client.updateAlarmStatus(POINT, measurement));
    await value(client.setThreshold(POINT, threshold));
    await value(client.updateAlarmStatus(POINT));
    await value(client.setExternalAlarm(POINT, { status: 3 }));
    expect(await value(client.getAlarmStatus(POINT))).toMatchObject({
      nodeId: POINT,
      status: 4,
      overallAlarm: { status: 4, triggeringMeasurement: measurement.measurementId },
      externalAlarm: { status: 3 },
    });
    const spectrum = { speed: 1_480, xUnit: 'Hz', yUnit: 'mm/s', coordinates: [{ x: 0, y: 1 }] };
    const { dataPoint: _, ...about } = measurement;
    await value(client.updateAlarmStatus(POINT, { ...about, contentType: 'SPECTRUM', spectrum }));
  });

  test('lets the service judge a document of whatever shape', async () => {
    const client = clientOf();
    await value(client.setThreshold(POINT, unjudged(JSON.parse(JSON.stringify(threshold)))));
    expect(await failure(client.patchThreshold(POINT, unjudged('remove')))).toMatchObject({ type: 'invalid-request' });
    expect(await failure(client.updateAlarmStatus(POINT, unjudged(null)))).toMatchObject({ type: 'invalid-request' });
    expect(await failure(client.setExternalAlarm(POINT, unjudged({ status: 9 })))).toMatchObject({
      body: { reasons: [{ name: 'status' }] },
    });
  });

  test('understands problems that tell of much: a pointer, a name and a number beyond all bounds', async () => {
    const infinite: ClientSettings['fetch'] = (url, init) =>
      fetch(url, {
        ...init,
        ...(typeof init?.body === 'string' && { body: init.body.replace('"too large"', '1e999') }),
      });
    const client = clientOf({ fetch: infinite });
    const long = 'x'.repeat(100_000);
    const pointer = [{ op: 'remove', path: `/${'名'.repeat(20_000)}` }] as const;
    expect(await failure(client.patchThreshold(POINT, pointer))).toMatchObject({ type: 'patch-conflict' });
    for (const call of [
      client.setThreshold(POINT, unjudged({ [long]: 1 })),
      client.updateAlarmStatus(POINT, unjudged({ ...measurement, tags: { [long]: 'too large' } })),
    ])
      expect(await failure(call)).toMatchObject({ type: 'invalid-request' });
  });

  test('gets its token anew for every call, and shows none where it has none', async () => {
    const users = [ADMIN, NOBODY];
    const client = clientOf({ token: () => api.callers.token(users.shift() ?? '') });
    await value(client.getAlarmStatus(POINT));
    expect(await failure(client.getAlarmStatus(POINT))).toMatchObject({ type: 'unauthorized-resource' });
    expect(await failure(clientOf({ token: undefined }).getAlarmStatus(POINT))).toMatchObject({
      type: 'missing-authentication-token',
    });
  });
});

describe('a problem', () => {
  test('is a value: its type, its body, and that nothing was changed', async () => {
    const wrong = unjudged({ thresholdType: 2, colour: 'red' });
    expect(await failure(clientOf().setThreshold(POINT, wrong))).toMatchObject({
      _tag: 'Problem',
      type: 'invalid-request',
      mayHaveChanged: false,
      body: { status: 400, reasons: [{ name: 'colour' }] },
    });
  });

  test('tells that a precondition of a write does not hold', async () => {
    const client = clientOf();
    const { etag } = await value(client.setThreshold(POINT, threshold, { ifNoneMatch: '*' }));
    const refused = { type: 'precondition-failed', mayHaveChanged: false };
    expect(await failure(client.setThreshold(POINT, threshold, { ifNoneMatch: '*' }))).toMatchObject(refused);
    await value(client.setThreshold(POINT, {}));
    expect(await failure(client.setThreshold(POINT, threshold, { ifMatch: etag }))).toMatchObject(refused);
  });

  test('reads a threshold that changed, and nothing of one that did not', async () => {
    const client = clientOf();
    await value(client.setThreshold(POINT, threshold));
    const read = await value(client.getThreshold(POINT));
    expect(await value(client.getChangedThreshold(POINT, '"1"'))).toBeUndefined();
    expect(await value(client.getChangedThreshold(POINT, '"0"'))).toEqual(read);
    expect(await failure(client.getChangedThreshold(MACHINE, '"1"'))).toMatchObject({ type: 'invalid-request' });
  });

  test('of a type that this client does not know is one as well', async () => {
    const body = { type: '/problems/new', title: '', status: 418, detail: '', instance: '', requestId: '', more: 1 };
    const client = clientOf({ fetch: () => Promise.resolve(Response.json(body, { status: 418 })) });
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ type: 'other', body: { type: '/problems/new' } });
  });
});

describe('an answer', () => {
  test('of a later release may hold more', async () => {
    const later = { nodeId: POINT, overall: { ...overall, colour: 'red' }, halAlarms: [{ label: 'a', b: 1 }], new: [] };
    const client = clientOf({ fetch: () => Promise.resolve(Response.json(later)) });
    expect(await value(client.getThreshold(POINT))).toEqual({
      threshold: { nodeId: POINT, overall, halAlarms: [{ label: 'a' }] },
    });
  });

  test.each([
    ['a page', () => new Response('<html>')],
    ['another document', () => Response.json({ nodeId: 'x' })],
    ['an error of somebody else', () => Response.json({ error: 'no' }, { status: 403 })],
    ['a problem of another status', () => Response.json({ status: 400 }, { status: 409 })],
  ])('that is %s is told as strange', async (_, answer) => {
    const client = clientOf({ fetch: () => Promise.resolve(answer()) });
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ _tag: 'StrangeAnswer', mayHaveChanged: false });
    const written = await failure(client.setThreshold(POINT, {}));
    expect(written).toMatchObject({ _tag: 'StrangeAnswer', mayHaveChanged: true });
  });
});

/** Calls that reached the API, whose answers `spoil` may take away; after that all goes on as it should. */
const spoiling = (spoil: (call: number) => Response | undefined) => {
  const keys: Array<string | null> = [];
  const fetchThrough: typeof fetch = async (url, init) => {
    keys.push(new Headers(init?.headers).get('Idempotency-Key'));
    const answer = await fetch(url, init);
    const call = keys.length;
    const instead = spoil(call);
    if (instead === undefined) return answer;
    if (instead.status === 299) throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
    return instead;
  };
  return { keys, fetch: fetchThrough };
};
/** Answers nothing until it is told to end. */
const waitingForever: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.throwIfAborted();
    init?.signal?.addEventListener('abort', () => void reject(new Error('cut')));
  });
const lost = (): Response => new Response(null, { status: 299 });

/** A client of an API of its own whose nodes take what they are sent like that. */
const apiThat = async (send: PointAlarms['send'], more: Partial<ClientSettings> = {}) => {
  const other = await apiOfTest({ ports: { pointAlarms: { ...api.nodes.port, send } } });
  return clientOf({ baseUrl: baseUrl(other), token: await other.callers.token(ADMIN), ...more });
};

describe('a call is tried again', () => {
  test('when its answer is lost, by the same key: a write counts once, and each reason is told', async () => {
    const reasons: TryFailure[] = [];
    const spoilCall = [lost(), new Response('', { status: 502 })];
    const { keys, fetch } = spoiling((call) => spoilCall[call - 1]);
    const client = clientOf({ fetch, onRetry: (reason) => reasons.push(reason) });
    expect(await value(client.setThreshold(POINT, threshold))).toEqual({ etag: '"1"' });
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(reasons).toMatchObject([{ _tag: 'NoAnswer' }, { _tag: 'StrangeAnswer', status: 502 }]);
    expect((await value(client.getThreshold(POINT))).etag).toBe('"1"');
  });

  test.each<[node: string, status: number | undefined, tries: number]>([
    [MACHINE, undefined, 1],
    ...[429, 502, 503, 504].map((status): [string, number, number] => [POINT, status, 2]),
    ...[400, 403, 404, 409, 500].map((status): [string, number, number] => [POINT, status, 1]),
  ])(
    'of %s only when a proxy has no answer, and not when it refuses: %s takes %i tries',
    async (node, status, tries) => {
      const { keys, fetch } = spoiling((call) =>
        call === 1 && status !== undefined ? new Response('', { status }) : undefined,
      );
      await clientOf({ fetch }).setExternalAlarm(node, { status: 2 });
      expect(keys).toHaveLength(tries);
    },
  );

  test('when a node is busy, once Retry-After has passed', async () => {
    const times: number[] = [];
    const client = await apiThat((...of) =>
      times.push(Date.now()) === 1 ? TE.left({ _tag: 'QueueFull', retryAfter: 1 }) : api.nodes.port.send(...of),
    );
    await value(client.setThreshold(POINT, threshold));
    expect(times).toHaveLength(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('spread over half as long again as Retry-After asks for', async () => {
    const pauses: number[] = [];
    const busy = { status: 503, headers: { 'Retry-After': '1' } };
    const call = async (): Promise<void> => {
      const { fetch } = spoiling((number) => (number === 1 ? new Response('', busy) : undefined));
      const onRetry = (_: TryFailure, ms: number) => pauses.push(ms);
      await value(clientOf({ fetch, onRetry }).getThreshold(POINT));
    };
    await Promise.all(Array.from({ length: 12 }, call));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_500);
    expect(new Set(pauses.map(Math.round)).size).toBeGreaterThan(6);
  });
});

describe('a call gives up', () => {
  test('after as many tries as it may have, and says that the change may have happened', async () => {
    const { keys, fetch } = spoiling(lost);
    const client = clientOf({ fetch, tries: 2 });
    const noAnswer = { _tag: 'NoAnswer', reason: 'socket hang up', mayHaveChanged: true };
    expect(await failure(client.setThreshold(POINT, threshold))).toEqual(noAnswer);
    expect(keys).toHaveLength(2);
    expect((await value(clientOf().getThreshold(POINT))).etag).toBe('"1"');
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ mayHaveChanged: false });
  });

  test('and says so also when the last try did change nothing', async () => {
    const { fetch } = spoiling((call) => (call === 1 ? lost() : undefined));
    let sent = 0;
    const send: PointAlarms['send'] = () => TE.left({ _tag: 'QueueFull', retryAfter: (sent += 1) });
    const client = await apiThat(send, { fetch, tries: 2 });
    const tooMany = { type: 'too-many-requests', retryAfter: 2, mayHaveChanged: true };
    expect(await failure(client.setThreshold(POINT, threshold))).toMatchObject(tooMany);
  });

  test('at its deadline, without waiting for what would come too late', async () => {
    const began = Date.now();
    const busy = { status: 503, headers: { 'Retry-After': '60' } };
    const client = clientOf({ fetch: () => Promise.resolve(new Response('', busy)), deadlineMs: 5_000 });
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ _tag: 'StrangeAnswer', retryAfter: 60 });
    expect(Date.now() - began).toBeLessThan(1_000);
  });

  test('when no other try may begin, which leaves its time to the one in flight', async () => {
    let calls = 0;
    const slow: typeof fetch = (url, init) => {
      calls += 1;
      return new Promise((resolve, reject) => {
        setTimeout(() => void globalThis.fetch(url, init).then(resolve, reject), 200);
      });
    };
    await value(clientOf({ fetch: slow, retryForMs: 0 }).getThreshold(POINT));
    const { keys, fetch } = spoiling(() => new Response('', { status: 503 }));
    const began = Date.now();
    const client = clientOf({ fetch, retryForMs: 500, tries: Infinity, deadlineMs: Infinity });
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ _tag: 'StrangeAnswer', status: 503 });
    expect(Date.now() - began).toBeLessThan(1_000);
    expect(keys.length).toBeGreaterThan(1);
    expect(calls).toBe(1);
  });

  test('when nobody answers in time', async () => {
    const client = clientOf({ fetch: waitingForever, tries: 2, tryMs: 50 });
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ reason: 'no answer within 50 ms' });
  });

  const soonAborted = (): AbortController => {
    const abort = new AbortController();
    setTimeout(() => void abort.abort(), 20);
    return abort;
  };

  test('when its signal says so, also while it waits for its next try', async () => {
    const { signal } = soonAborted();
    const { keys, fetch } = spoiling(() => new Response('', { status: 503, headers: { 'Retry-After': '20' } }));
    const began = Date.now();
    const call = () => failure(clientOf({ fetch }).setThreshold(POINT, threshold, { signal }));
    expect(await call()).toEqual({ _tag: 'Aborted', mayHaveChanged: true });
    expect(Date.now() - began).toBeLessThan(2_000);
    expect(await call()).toEqual({ _tag: 'Aborted', mayHaveChanged: false });
    expect(keys).toHaveLength(1);
  });

  test('when the signal of its client says so, and leaves nothing behind at it', async () => {
    const { signal } = soonAborted();
    const client = clientOf({ fetch: waitingForever, signal });
    const reads: Result<unknown>[] = [client.getThreshold(POINT), client.getAlarmStatus(POINT)];
    const calls = [...reads, client.setThreshold(POINT, threshold)];
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    const other = clientOf({ fetch: waitingForever, signal: new AbortController().signal });
    const locked = clientOf({ token: () => new Promise<string>(() => undefined) });
    for (const one of [other, locked]) calls.push(one.setThreshold(POINT, {}, { signal: soonAborted().signal }));
    for (const call of calls) expect(await failure(call)).toMatchObject({ _tag: 'Aborted' });
    expect(await failure(client.getThreshold(POINT))).toMatchObject({ _tag: 'Aborted' });
  });
});

describe('what cannot be sent is a value, and nothing is thrown:', () => {
  type Ask = (client: ReturnType<typeof clientOf>) => Result<unknown>;
  const write: Ask = (client) => client.setThreshold(POINT, threshold);
  const notSent = (reason: RegExp, mayHaveChanged = false) => ({
    ...{ _tag: 'NotSent', reason: expect.stringMatching(reason), mayHaveChanged },
  });
  const throwing = (message: string) => (): never => {
    throw new Error(message);
  };
  const circle: { self?: unknown } = {};
  circle.self = circle;
  /** `given` to every operation that takes it. */
  const ofNode = (id: string): ReadonlyArray<Ask> => [
    (client) => client.getThreshold(id),
    (client) => client.getAlarmStatus(id),
    (client) => client.setThreshold(id, threshold),
    (client) => client.patchThreshold(id, []),
    (client) => client.updateAlarmStatus(id),
    (client) => client.setExternalAlarm(id, { status: 2 }),
  ];
  const ofBody = (body: unknown): ReadonlyArray<Ask> => [
    (client) => client.setThreshold(POINT, unjudged(body)),
    (client) => client.patchThreshold(POINT, unjudged(body)),
    (client) => client.updateAlarmStatus(POINT, unjudged(body)),
    (client) => client.setExternalAlarm(POINT, unjudged(body)),
  ];

  test.each<[what: string, asks: ReadonlyArray<Ask>, reason: RegExp]>([
    ['a node id with half a character', ofNode('\ud800'), /malformed/u],
    ['a circular body', ofBody(circle), /circular/u],
    ['a BigInt in a body', ofBody({ fullScale: 1n }), /BigInt/u],
    ['a body whose toJSON throws', ofBody({ toJSON: throwing('no JSON of me') }), /no JSON of me/u],
    ['a body that is a function', ofBody(() => 1), /as JSON/u],
    ['a body that JSON leaves out', ofBody({ toJSON: () => undefined }), /as JSON/u],
    ['a key with a line break', [(client) => client.setThreshold(POINT, {}, { idempotencyKey: 'a\nb' })], /./u],
    ['a tag beyond Latin-1', [(client) => client.setThreshold(POINT, {}, { ifMatch: '"名"' })], /./u],
    ['options that are none', [(client) => client.setThreshold(POINT, {}, null as never)], /./u],
  ])('%s', async (_, asks, reason) => {
    const { keys, fetch } = spoiling(() => undefined);
    for (const ask of asks) expect(await failure(ask(clientOf({ fetch })))).toEqual(notSent(reason));
    expect(keys).toEqual([]);
  });

  test.each<[what: string, settings: Partial<ClientSettings>, reason: RegExp]>([
    ['a token with a line break', { token: 'a\nb' }, /./u],
    ['a token beyond Latin-1', { token: () => 'ł' }, /./u],
    ['an address that is none', { baseUrl: 'http://' }, /URL/u],
    ['an address without a scheme', { baseUrl: 'localhost:3000' }, /http/u],
    ['an address with a password', { baseUrl: 'http://ada:geheim@localhost' }, /credentials/u],
    ['a token function that throws', { token: throwing('locked') }, /^no token: locked$/u],
    ['a token function that rejects', { token: () => Promise.reject(new Error('locked')) }, /^no token: locked$/u],
  ])('%s', async (_, settings, reason) => expect(await failure(write(clientOf(settings)))).toEqual(notSent(reason)));

  test('a token function that never answers, within the time of the call and of a try', async () => {
    const token = () => new Promise<string>(() => undefined);
    const began = Date.now();
    expect(await failure(write(clientOf({ token, deadlineMs: 100 })))).toEqual(notSent(/^no token within 100 ms$/u));
    expect(await failure(write(clientOf({ token, tryMs: 50 })))).toEqual(notSent(/^no token within 50 ms$/u));
    expect(Date.now() - began).toBeLessThan(2_000);
  });

  test('a token that fails after a try was lost: the change may have happened', async () => {
    const { fetch } = spoiling(lost);
    let asked = 0;
    const tokens = () => ((asked += 1) === 1 ? token : throwing('locked')());
    expect(await failure(write(clientOf({ fetch, token: tokens })))).toEqual(notSent(/^no token: locked$/u, true));
  });

  test('a try without an end, or one longer than a timer can be', async () => {
    for (const ms of [Infinity, 2 ** 31, 2 ** 40]) {
      const slow: typeof fetch = async (url, init) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        init?.signal?.throwIfAborted();
        return fetch(url, init);
      };
      await value(write(clientOf({ fetch: slow, tryMs: ms, deadlineMs: ms })));
    }
  });

  test('what onRetry throws', async () => {
    const { keys, fetch } = spoiling((call) => (call === 1 ? lost() : undefined));
    await value(write(clientOf({ fetch, onRetry: throwing('mine') })));
    expect(keys).toHaveLength(2);
  });

  test('a Retry-After of thirty years is waited for where the call has no end, and not tried at once', async () => {
    const busy = { status: 503, headers: { 'Retry-After': '999999999' } };
    const { keys, fetch } = spoiling(() => new Response('', busy));
    const signal = AbortSignal.timeout(300);
    const call = clientOf({ fetch, tries: Infinity, deadlineMs: Infinity }).getThreshold(POINT, { signal });
    expect(await failure(call)).toMatchObject({ _tag: 'Aborted' });
    expect(keys).toHaveLength(1);
  });
});
