import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { describe, expect, test, vi } from 'vitest';
import type { EndpointPorts } from '../../api/http/app';
import type { Caller, Outage, PointAlarms, Sent } from '../../api/ports';
import { call } from '../support/api/call';
import { ADMIN, POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { createMemoryNodes } from '../support/api/memory-point-alarms';
import { raw, replyIn } from '../support/api/raw';
import { apiOfTest, type Api, type ApiChanges } from '../support/api/start-api';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const EXTERNAL = `/v1/alarm-status/${POINT}/status/external`;
const patch = { method: 'PATCH', path: THRESHOLD, body: [{ op: 'add', path: '/fullScale', value: 2 }] };
const DEADLINE_MS = 1_000;

/** Ports that answer, or never. */
const never = () => new Promise<never>(() => undefined);
const silent: Readonly<Record<string, Partial<EndpointPorts>>> = {
  'key set': { authenticator: { userOf: () => never } },
  authorizer: { authorizer: { violations: () => never } },
};

/** What a node answers that has no room for the patched threshold: it is read then. */
const withoutPatched = ({ _tag, revision }: Sent): Sent => ({ _tag, revision });

/** Memory nodes that tell on whose behalf they are asked. */
const asked = () => {
  const { port } = createMemoryNodes();
  const behalves: (Caller | undefined)[] = [];
  const pointAlarms: PointAlarms = {
    ...port,
    send: (nodeId, command, by) => {
      behalves.push(by);
      return pipe(port.send(nodeId, command, by), TE.map(withoutPatched));
    },
    threshold: (nodeId, how) => {
      behalves.push(how?.by);
      return port.threshold(nodeId, how);
    },
  };
  return { pointAlarms, behalves };
};

describe('the deadline of a call', () => {
  test.each(Object.entries(silent))('bounds the wait for a silent %s: 503, and nothing changed', async (_, ports) => {
    const api = await apiOfTest({ ports });
    const began = performance.now();
    const reply = await call(api, { method: 'PUT', path: EXTERNAL, body: { status: 3 } });
    const took = performance.now() - began;
    expect(expectProblem(reply, { status: 503, type: 'unavailable' }).mayHaveChanged).toBe(false);
    expect(took).toBeGreaterThan(0.9 * DEADLINE_MS);
    expect(took).toBeLessThan(2 * DEADLINE_MS);
  });

  test('bounds the arrival of a body: 408, which the log and the metrics have too', async () => {
    const api = await apiOfTest();
    const token = await api.callers.token(ADMIN);
    const fields = `Host: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 13`;
    const began = performance.now();
    const reply = replyIn(await raw(api, `PUT ${EXTERNAL} HTTP/1.1\r\n${fields}\r\n\r\n{"sta`));
    expectProblem(reply, { status: 408, type: 'request-timeout' });
    expect(performance.now() - began).toBeLessThan(2 * DEADLINE_MS);
    expectLogged(api, { status: 408, outcome: 'request-timeout' });
    const { text } = await call(api, { method: 'GET', path: '/metrics', user: null });
    expect(text).toContain('point_alarm_problems_total{type="request-timeout"} 1');
    expect(text).toMatch(/point_alarm_http_request_duration_seconds_count\{.*status="408"\} 1/u);
  });

  test('counts from its head, once, also for a second read', async () => {
    const { pointAlarms, behalves } = asked();
    const slowly = () => async () => {
      await sleep(400);
      return E.right([]);
    };
    const api = await apiOfTest({ ports: { pointAlarms, authorizer: { violations: slowly } } });
    const before = performance.now();
    expect((await call(api, patch)).status).toBe(200);
    const [sent, read] = behalves.map((by) => by?.until ?? NaN);
    expect(sent).toBeGreaterThanOrEqual(before + DEADLINE_MS);
    expect(sent).toBeLessThan(performance.now() + DEADLINE_MS - 400);
    expect(read).toBe(sent);
  });

  test('ends a batch that waited for its permissions', async () => {
    const slowly = () => async () => {
      await sleep(600);
      return E.right([]);
    };
    const pointAlarms = { ...createMemoryNodes().port, threshold: () => never };
    const api = await apiOfTest({ ports: { pointAlarms, authorizer: { violations: slowly } } });
    const began = performance.now();
    const reply = await call(api, {
      method: 'POST',
      path: '/v1/point-alarm-threshold-batch',
      body: { nodeIDs: [POINT] },
    });
    expect(expectProblem(reply, { status: 504, type: 'timeout' }).mayHaveChanged).toBe(false);
    expect(performance.now() - began).toBeLessThan(1.4 * DEADLINE_MS);
  });
});

const expectLogged = (api: Api, line: object): void => {
  const calls = api.logged.map((text): unknown => JSON.parse(text)).filter((one) => Object(one)['msg'] === 'call');
  expect(calls).toEqual([expect.objectContaining(line)]);
};

describe('a caller who leaves', () => {
  /** The API with `ports`, and a call whose connection is reset after 50 ms. */
  const left = async (ports: ApiChanges['ports'], method: string, path: string, body: string) => {
    const { pointAlarms, behalves } = asked();
    const api = await apiOfTest({ ports: { pointAlarms, ...ports } });
    const token = await api.callers.token(ADMIN);
    const fields = `Host: x\r\nAuthorization: ${token}\r\nContent-Type: application/json`;
    const socket = connect(api.port, '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await sleep(50);
    socket.resetAndDestroy();
    await vi.waitFor(() => expectLogged(api, { status: 499, outcome: 'gone' }), 5_000);
    return { api, behalves };
  };
  const later =
    <A>(value: A) =>
    () =>
    async () => {
      await sleep(200);
      return E.right(value);
    };

  test.each<readonly [when: string, ports: ApiChanges['ports'], path: string, body: string]>([
    ['the check of the token', { authenticator: { userOf: later(ADMIN) } }, `/v1/alarm-status/${POINT}`, ''],
    ['the check of the token, with a body', { authenticator: { userOf: later(ADMIN) } }, EXTERNAL, '{"status": 3}'],
    ['the check of permissions, with a body', { authorizer: { violations: later([]) } }, EXTERNAL, '{"status": 3}'],
  ])('during %s is not served, and the log says so', async (_, ports, path, body) => {
    const { api, behalves } = await left(ports, 'PUT', path, body);
    expect(behalves).toEqual([]);
    const { text } = await call(api, { method: 'GET', path: '/metrics', user: null });
    expect(text).not.toContain('point_alarm_problems_total{');
  });
});

describe('a patch that the node has, while it cannot be read,', () => {
  test.each<readonly [Outage, status: number, type: string]>([
    [{ _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 2, mayHaveChanged: false }, 503, 'unavailable'],
    [{ _tag: 'Overloaded', retryAfter: 2, isOwnShare: true }, 503, 'unavailable'],
    [{ _tag: 'Overloaded', retryAfter: 2, isOwnShare: false }, 503, 'unavailable'],
    [{ _tag: 'QueueFull', retryAfter: 2 }, 503, 'unavailable'],
    [{ _tag: 'TimedOut' }, 504, 'timeout'],
  ])('may have changed it: %j', async (outage, status, type) => {
    const pointAlarms = { ...asked().pointAlarms, threshold: () => TE.left(outage) };
    const api = await apiOfTest({ ports: { pointAlarms } });
    const reply = await call(api, patch);
    const problem = expectProblem(reply, { status, type });
    expect(problem.mayHaveChanged).toBe(true);
    expect(problem.detail).not.toContain('Nothing was changed');
    if (status === 503) expect(reply.headers['retry-after']).toBe('2');
  });
});
