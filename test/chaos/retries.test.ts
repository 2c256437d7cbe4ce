import { randomUUID } from 'node:crypto';
import { ServiceError, WorkflowClient, type Client, type WorkflowClientInterceptor } from '@temporalio/client';
import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { createPointAlarms } from '../../api/nodes/nodes';
import { createLog } from '../../process/log';
import { workflowIdOf } from '../../workflows/messages';
import { commandOf } from './command-of';
import type { Asked, Entry } from './history';
import { largestSpectrum } from './load/largest';
import { put } from './load/put';
import { eventually } from './probe';
import { settingOf, type Setting } from './scenario';
import { seed } from './seed';
import { withStack } from './with-stack';
import type { Command } from '../../workflows/domain/node/commands';

const { stack, tail } = withStack();

const eventsOf = async (nodeId: string): Promise<ReadonlyArray<Entry>> =>
  (await tail().read()).filter((entry) => entry['aggregateId'] === nodeId);

const runsOf = async (nodeId: string): Promise<number> =>
  (await stack().client.workflow.count(`WorkflowId = "${workflowIdOf(nodeId)}"`)).count;

/** PUTs a measurement of `nodeId` under `key` to an API, as one user. */
const putMeasurement = async (setting: Setting, api: 0 | 1, key: string, asked: Asked): Promise<number> => {
  const [nodeId = ''] = setting.nodes;
  const { measurement } = commandOf(asked);
  const headers = {
    Authorization: `Bearer ${await stack().signToken('one user')}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  };
  const path = `/v1/alarm-status/${nodeId}`;
  const { url } = stack().apis[api];
  const { status } = await setting.caller.call(url, {
    method: 'PUT',
    path,
    headers,
    body: JSON.stringify(measurement),
  });
  return status;
};

test('a write sent several times at once, by both APIs, counts once, and later as well', async () => {
  const setting = settingOf(stack(), tail(), { seed, nodes: 1 });
  const { recorder, asks, nodes, random } = setting;
  const [nodeId = ''] = nodes;
  await recorder.send(nodeId, asks.threshold(), { keyed: true });
  for (let round = 0; round < 10; round += 1) {
    const [key, asked] = [random.uuid(), asks.measurement()];
    const at = ([0, 1, 0, 1, 0, 1] as const).map((api) => putMeasurement(setting, api, key, asked));
    expect(new Set(await Promise.all(at))).toEqual(new Set([204]));
    expect(await putMeasurement(setting, 1, key, asked)).toBe(204);
  }
  await eventually(
    () => eventsOf(nodeId),
    ({ length }) => length >= 2 + 10,
    10_000,
  );
  expect(await eventsOf(nodeId)).toHaveLength(2 + 10);
  setting.caller.close();
});

test('a write is known again after the node renewed, with another body it is a conflict', async () => {
  const setting = settingOf(stack(), tail(), { seed: seed + 1, nodes: 1 });
  const { recorder, asks, nodes, random, caller } = setting;
  const [nodeId = ''] = nodes;
  await recorder.send(nodeId, asks.threshold(), { keyed: true });
  const [key, asked] = [random.uuid(), asks.measurement()];
  expect(await putMeasurement(setting, 0, key, asked)).toBe(204);
  let large = 0;
  while ((await runsOf(nodeId)) < 3 && large < 60) {
    large += 1;
    expect(await put(setting, `/v1/alarm-status/${nodeId}`, largestSpectrum(random))).toMatchObject({ status: 204 });
  }
  expect(await runsOf(nodeId)).toBeGreaterThanOrEqual(3);
  expect(await putMeasurement(setting, 1, key, asked)).toBe(204);
  expect(await putMeasurement(setting, 0, key, asks.measurement())).toBe(409);
  await recorder.send(nodeId, asks.external(), { keyed: true });
  await eventually(
    () => eventsOf(nodeId),
    ({ length }) => length >= 2 + 1 + large + 1,
    10_000,
  );
  expect(await eventsOf(nodeId)).toHaveLength(2 + 1 + large + 1);
  caller.close();
});

test('the retries of the client adapter double nothing, though every first answer is lost, across runs', async () => {
  const nodeId = randomUUID();
  const workflows = withLostAnswers(stack().client);
  const pointAlarms = createPointAlarms({
    workflowsUntil: () => workflows,
    taskQueue: 'point-alarm',
    searchAttributes: true,
    overallRegions: 'literal',
    callDeadlineMs: 20_000,
    waitingCalls: 256,
    log: createLog({ level: 'silent', process: 'chaos' }),
  });
  const setting = settingOf(stack(), tail(), { seed: seed + 2, nodes: 0 });
  const send = async (asked: Asked): Promise<void> => {
    const command = { ...commandOf(asked), userId: setting.random.uuid() } as Command;
    const sent = await pointAlarms.send(nodeId, command)();
    expect(E.isRight(sent) ? 'done' : sent.left).toBe('done');
  };
  await send(setting.asks.threshold());
  const WRITES = 1_200;
  let left = WRITES;
  const caller = async (): Promise<void> => {
    while ((left -= 1) >= 0) await send(setting.asks.measurement());
  };
  await Promise.all(Array.from({ length: 48 }, caller));
  await eventually(
    () => eventsOf(nodeId),
    ({ length }) => length >= 2 + WRITES,
    10_000,
  );
  const events = await eventsOf(nodeId);
  expect(events).toHaveLength(2 + WRITES);
  expect(new Set(events.map((event) => event['userId'])).size).toBe(1 + WRITES);
  expect(await runsOf(nodeId)).toBeGreaterThanOrEqual(3);
});

/** A client that gets no first answer: the server has done what was asked, and the connection breaks. */
const withLostAnswers = ({ connection }: Client): WorkflowClient => {
  const seen = new Set<string>();
  const loseAnswers: WorkflowClientInterceptor = {
    startUpdateWithStart: async (input, next) => {
      const output = await next(input);
      const updateId = String(input.updateOptions.updateId);
      if (seen.has(updateId)) return output;
      seen.add(updateId);
      const cause = Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), {
        code: 14,
        details: 'read ECONNRESET',
        metadata: {},
      });
      throw new ServiceError('the answer was lost', { cause });
    },
  };
  return new WorkflowClient({ connection, interceptors: [loseAnswers] });
};
