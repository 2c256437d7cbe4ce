import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { describe, expect, test } from 'vitest';
import type { Outage, PointAlarms } from '../../api/ports';
import type { Refusal } from '../../workflows/domain/node/commands';
import { call } from '../support/api/call';
import { POINT } from '../support/api/callers';
import { expectDocumented } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { apiOfTest, type Api } from '../support/api/start-api';

/** Calls every route of `api` with its first example. */
const callEach = (api: Api) =>
  api.routes.map(async (route) => {
    const example = route.body === undefined ? undefined : Object.values(route.body.examples)[0];
    const body = route.id === 'getThresholds' ? { nodeIDs: [POINT] } : example;
    const reply = await call(api, { method: route.method, path: route.path.replace(':nodeId', POINT), body });
    expectDocumented(route, reply);
    return { route, reply };
  });

const nodesThat = (fail: Outage, refuse: Refusal | Outage = fail): PointAlarms => ({
  send: () => TE.left(refuse),
  threshold: () => TE.left(fail),
  alarmStatus: () => TE.left(fail),
});

const unavailable = (mayHaveChanged: boolean): Outage => ({
  _tag: 'Unavailable',
  dependency: 'Temporal',
  retryAfter: 2,
  mayHaveChanged,
});

describe('while Temporal is unavailable', () => {
  test.each([[true], [false]])('every route answers 503 and says whether it may have changed: %j', async (may) => {
    const api = await apiOfTest({ ports: { pointAlarms: nodesThat(unavailable(may)) } });
    for (const { route, reply } of await Promise.all(callEach(api))) {
      const problem = expectProblem(reply, { status: 503, type: 'unavailable' });
      expect(problem.detail).toContain('Temporal');
      expect(reply.headers['retry-after']).toBe('2');
      expect(problem.mayHaveChanged).toBe(may && route.writes);
    }
  });

  test('every route answers 504 when its deadline passes', async () => {
    const api = await apiOfTest({ ports: { pointAlarms: nodesThat({ _tag: 'TimedOut' }) } });
    for (const { route, reply } of await Promise.all(callEach(api))) {
      expect(expectProblem(reply, { status: 504, type: 'timeout' }).mayHaveChanged).toBe(route.writes);
    }
  });
});

describe('a batch', () => {
  /** The answer to a batch of 1,000 nodes that are read like that. */
  const batchOf = async (threshold: PointAlarms['threshold']) => {
    const pointAlarms = { ...nodesThat(unavailable(false)), threshold };
    const api = await apiOfTest({ ports: { pointAlarms, hierarchy: { kindOf: () => 'measurement_point' } } });
    const nodeIDs = Array.from({ length: 1_000 }, () => randomUUID());
    const body = { nodeIDs };
    return { nodeIDs, reply: await call(api, { method: 'POST', path: '/v1/point-alarm-threshold-batch', body }) };
  };

  test('ends at its deadline, however many of its nodes answer, and reads no more of them', async () => {
    let reads = 0;
    const slowly = (nodeId: string) => () => {
      reads += 1;
      const answer = E.right({ value: { revision: 0, threshold: { nodeId } } });
      return new Promise<typeof answer>((resolve) => setTimeout(resolve, 150, answer));
    };
    const { reply } = await batchOf(slowly);
    expectProblem(reply, { status: 504, type: 'timeout' });
    const soFar = reads;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(reads).toBe(soFar);
    expect(reads).toBeLessThan(600);
  });

  test('is read at most 64 nodes at once', async () => {
    let [atOnce, most] = [0, 0];
    const counted = (nodeId: string) => async () => {
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      atOnce -= 1;
      return E.right({ value: { revision: 0, threshold: { nodeId } } });
    };
    const { reply, nodeIDs } = await batchOf(counted);
    expect(reply.json).toEqual({ thresholds: nodeIDs.map((nodeId) => ({ nodeId })) });
    expect(most).toBe(64);
  });
});

describe('a node that takes no more', () => {
  const writes = async (refusal: Refusal | Outage) => {
    const api = await apiOfTest({ ports: { pointAlarms: nodesThat(unavailable(false), refusal) } });
    const replies = await Promise.all(callEach(api));
    return replies.filter(({ route }) => route.writes).map(({ reply }) => reply);
  };

  test('answers 503 while its outbox is full', async () => {
    for (const reply of await writes({ _tag: 'OutboxFull', waiting: 1_000 })) {
      expect(expectProblem(reply, { status: 503, type: 'unavailable' }).mayHaveChanged).toBe(false);
      expect(reply.headers['retry-after']).toBe('5');
    }
  });

  test('answers 400 with the reasons of what it does not take', async () => {
    for (const reply of await writes({ _tag: 'InvalidCommand', reasons: [{ name: 'x', reason: 'y' }] })) {
      expectProblem(reply, { status: 400, type: 'invalid-request', names: ['x'] });
    }
  });
});

test.each([
  ['the authorizer', { authorizer: { violations: () => TE.left(unavailable(true)) } }],
  ['the key set', { authenticator: { userOf: () => TE.left(unavailable(true)) } }],
])(
  'while nobody says who may and %s does not answer, every route answers 503, and nothing changed',
  async (_, ports) => {
    const api = await apiOfTest({ ports });
    for (const { reply } of await Promise.all(callEach(api))) {
      expect(expectProblem(reply, { status: 503, type: 'unavailable' }).mayHaveChanged).toBe(false);
    }
    expect(api.nodes.snapshot()).toBe('[]');
  },
);

test('a defect is answered 500 without internals, and logged with its stack under the name of the call', async () => {
  const defect = (): never => {
    throw new Error('the secret of the house');
  };
  const api = await apiOfTest({ ports: { pointAlarms: { send: defect, threshold: defect, alarmStatus: defect } } });
  for (const { reply } of await Promise.all(callEach(api))) {
    const problem = expectProblem(reply, { status: 500, type: 'internal-server-error' });
    expect(reply.text).not.toContain('secret');
    const line = api.logged.find((logged) => logged.includes(problem.requestId) && logged.includes('defect'));
    expect(line).toContain('the secret of the house');
    expect(line).toContain('outages.test.ts');
  }
});
