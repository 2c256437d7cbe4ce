import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { describe, expect, inject, onTestFinished, test, type TestContext } from 'vitest';
import { connectTemporal } from '../../../cli/temporal';
import { decrypt, encrypt } from '../../../process/payload-encryption';
import type { PayloadKey, PayloadKeys } from '../../../process/settings/codecs';
import { queries, signals, UNREADABLE_PAYLOAD, WORKFLOW_TYPE, workflowIdOf } from '../../../workflows/messages';
import { rightOf } from '../../support/either';
import { startService } from '../../support/service';
import {
  bringUpClient,
  bringUpNodes,
  eventually,
  measured,
  windowed,
  type Nodes,
} from '../../integration/workflows/nodes';

const newKey = (id: string): PayloadKey => ({ id, key: createSecretKey(randomBytes(32)) });
const [first, second, foreign] = [newKey('first'), newKey('second'), newKey('foreign')];
const by = (encrypts: PayloadKey, ...others: ReadonlyArray<PayloadKey>): PayloadKeys => ({
  encrypts,
  decrypt: [encrypts, ...others],
});

/** The tests mostly wait for tasks that fail to be tried again: they run together, each on nodes of its own. */
const together = { concurrent: true, timeout: 120_000 };

/** For one test: a worker and a client with some keys, in place of the ones before, on their task queue and stream. */
const nodesInTurn = (finished: TestContext['onTestFinished']) => {
  let running: Nodes | undefined;
  const stop = async (): Promise<void> => {
    const before = running;
    running = undefined;
    await before?.stop();
  };
  finished(stop);
  return async (payloadKeys?: PayloadKeys, before = running): Promise<Nodes> => {
    await stop();
    running = await bringUpNodes({
      ...(before !== undefined && { taskQueue: before.taskQueue, stream: before.stream }),
      ...(payloadKeys !== undefined && { payloadKeys }),
    });
    return running;
  };
};

const continueAsNew = async (nodes: Nodes, nodeId: string): Promise<void> => {
  const runs = await nodes.runs(nodeId);
  for (let group = 0; group < 11; group += 1) {
    await nodes.send(nodeId, [...Array.from({ length: 49 }, () => ({})), measured(60 + group)]);
  }
  await eventually(
    () => nodes.runs(nodeId),
    (now) => now > runs,
  );
};

/** All that Temporal keeps of a node's current run. */
const historyOf = async ({ workflowService }: Client, nodeId: string) => {
  const execution = { workflowId: workflowIdOf(nodeId) };
  return (await workflowService.getWorkflowExecutionHistory({ namespace: 'default', execution })).history;
};

/** The same, byte by byte as it travels; texts in payloads stand in it as they are. */
const rawHistory = async (client: Client, nodeId: string): Promise<Buffer> =>
  Buffer.from(temporal.api.history.v1.History.encode((await historyOf(client, nodeId)) ?? {}).finish());

/** `text` in base64 wherever it may begin in what is encoded, without the digits that its neighbours share. */
const inBase64 = (text: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) =>
    Buffer.from(`${' '.repeat(before)}${text}`)
      .toString('base64')
      .slice(before === 0 ? 0 : before + 1, -4),
  );

const statusOf = (nodes: Nodes, nodeId: string) => nodes.handle(nodeId).query(queries.alarmStatus);

test.each([
  ['with a key hides', true],
  ['without one shows', false],
])('a service %s the values, users and measurements in all that Temporal keeps', async (_, isHidden) => {
  const PAYLOAD_KEY = `k1:${randomBytes(32).toString('base64')}`;
  const service = await startService(isHidden ? { PAYLOAD_KEY } : {});
  onTestFinished(service.stop);
  const [nodeId, measurementId, requestId] = [randomUUID(), randomUUID(), randomUUID()];
  const call = (path: string, body: object) =>
    service.call({ method: 'PUT', path: `${path}/${nodeId}`, body, headers: { 'X-Request-Id': requestId } });
  const overall = { unit: 'quibbles', outerHigh: 7_123.456_7, innerHigh: 51 };
  expect(await call('/v1/point-alarm-threshold', { thresholdType: 2, overall })).toMatchObject({ status: 204 });
  const dataPoint = { coordinate: { x: 0, y: 9_876.543_2 }, xUnit: 's', yUnit: 'quibbles' };
  const measurement = { measurementId, createdAt: new Date(), contentType: 'DATA_POINT', dataPoint };
  expect(await call('/v1/alarm-status', measurement)).toMatchObject({ status: 204 });
  expect(await service.call({ method: 'GET', path: `/v1/alarm-status/${nodeId}` })).toMatchObject({
    json: { status: 4, overallAlarm: { triggeringMeasurement: measurementId } },
  });
  await service.client.workflow.getHandle(workflowIdOf(nodeId)).signal(signals.recalculate, {}); // by hand, plain, refused
  await service.client.workflow
    .getHandle(workflowIdOf(nodeId))
    .signal(signals.setExternalAlarm, { userId: 'u', status: 3 });
  const kept = await eventually(
    () => rawHistory(service.client, nodeId),
    (history) => history.includes('publishEvents'),
  );
  const telling = [
    '7123.4567',
    '9876.5432',
    'quibbles',
    measurementId,
    requestId,
    'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
  ];
  for (const word of telling) {
    expect(kept.includes(word), word).toBe(!isHidden);
    for (const base64 of inBase64(word)) expect(kept.includes(base64), `${word} in base64`).toBe(false);
  }
  for (const process of ['api', 'worker'] as const) expect(service.said(process)).not.toContain(PAYLOAD_KEY.slice(3));

  const details = service.client.workflow.getHandle(workflowIdOf(nodeId)).query('__temporal_workflow_metadata');
  if (isHidden) await expect(details).rejects.toThrow('Unknown encoding: binary/encrypted');
  else expect(JSON.stringify(await details)).toContain('quibbles');
});

test(
  'a key is rotated: old payloads are read until the nodes renewed, then the old key may go',
  together,
  async (own) => {
    const goOnWith = nodesInTurn(own.onTestFinished);
    const nodeId = randomUUID();
    let nodes = await goOnWith(by(first));
    await nodes.send(nodeId, [windowed(), measured(60)]);
    await goOnWith(by(first, second));
    nodes = await goOnWith(by(second, first));
    expect(await statusOf(nodes, nodeId)).toMatchObject({ status: 4 });
    await continueAsNew(nodes, nodeId);
    nodes = await goOnWith(by(second));
    expect(await statusOf(nodes, nodeId)).toMatchObject({ status: 4 });
    await nodes.send(nodeId, [measured(30)]);
    expect(await statusOf(nodes, nodeId)).toMatchObject({ status: 2 });
    const entries = await nodes.entriesOnce(nodeId, 15);
    expect(entries.map((entry) => entry['sequenceId'])).toEqual(entries.map((entry) => entry['sequenceId']).sort());
  },
);

describe.each([
  ['no key', undefined],
  ['another key by the same id', by({ ...foreign, id: first.id })],
])('a worker with %s', together, (_, wrong) => {
  test.for([
    ['in its first run', false],
    ['that carries a state', true],
  ] as const)(
    'leaves a node %s waiting, and with the key again it goes on with nothing lost',
    async ([, isContinued], own) => {
      const goOnWith = nodesInTurn(own.onTestFinished);
      const nodeId = randomUUID();
      let nodes = await goOnWith(by(first));
      await nodes.send(nodeId, [windowed(), measured(60)]);
      if (isContinued) await continueAsNew(nodes, nodeId);
      const events = isContinued ? 14 : 3;
      await nodes.entriesOnce(nodeId, events);
      await goOnWith(wrong);
      const client = await bringUpClient({ taskQueue: nodes.taskQueue, payloadKeys: by(first) });
      own.onTestFinished(client.stop);
      const deadline = Date.now() + 4_000;
      await expect(client.client.withDeadline(deadline, () => client.send(nodeId, [measured(30)]))).rejects.toThrow();
      await client.handle(nodeId).signal('anything'); // an update that nobody waits for need not leave a task behind
      await eventually(
        async () => (await rawHistory(client.client, nodeId)).includes('cannot be read'), // its task failed, and why
        Boolean,
        60_000,
      );
      nodes = await goOnWith(by(first), nodes);
      const { status } = await eventually(
        () => statusOf(nodes, nodeId).catch(() => ({ status: undefined })),
        (answer) => answer.status !== undefined,
        60_000,
      );
      expect([4, 2]).toContain(status); // the write that waited may have been taken meanwhile
      await nodes.send(nodeId, [measured(75)]);
      expect(await statusOf(nodes, nodeId)).toMatchObject({ status: 4 });
      expect(await nodes.handle(nodeId).query(queries.threshold)).toMatchObject({
        threshold: { overall: { outerHigh: 70 } },
      });
      const entries = await eventually(
        () => nodes.entries(nodeId),
        ({ length }) => length > events,
      );
      expect(new Set(entries.map((entry) => entry['sequenceId'])).size).toBe(entries.length);
    },
  );

  test('refuses an update that it cannot read, and nothing is written', async (own) => {
    const goOnWith = nodesInTurn(own.onTestFinished);
    const nodeId = randomUUID();
    const { taskQueue } = await goOnWith(wrong);
    const client = await bringUpClient({ taskQueue, payloadKeys: by(first) });
    own.onTestFinished(client.stop);
    await client.client.workflow.start(WORKFLOW_TYPE, { workflowId: workflowIdOf(nodeId), taskQueue }); // by hand, without an argument
    await expect(client.send(nodeId, [windowed()])).rejects.toMatchObject({ cause: { type: UNREADABLE_PAYLOAD } });
  });
});

const garbage: ReadonlyArray<readonly [string, (workflowId: string) => Payload]> = [
  ['a key that nobody has', (id) => encrypt(foreign, { data: Buffer.from('{}') }, id)],
  ['bytes that nobody encrypted', (id) => ({ ...encrypt(first, {}, id), data: randomBytes(100) })],
  ['no bytes', (id) => ({ ...encrypt(first, {}, id), data: Buffer.alloc(0) })],
  ['a payload that is none inside', (id) => encrypt(first, { data: Buffer.from('{"userId": ') }, id)],
];

test.for(garbage)(
  'a signal and an update of %s are refused, and hold up the node neither now nor replayed',
  together,
  async ([, payloadFor], own) => {
    const goOnWith = nodesInTurn(own.onTestFinished);
    const nodeId = randomUUID();
    const nodes = await goOnWith(by(first));
    await nodes.send(nodeId, [windowed(), measured(60)]);
    const at = { namespace: 'default', workflowExecution: { workflowId: workflowIdOf(nodeId) } };
    const input = { payloads: [payloadFor(workflowIdOf(nodeId))] };
    const { workflowService } = nodes.client;
    await workflowService.signalWorkflowExecution({ ...at, signalName: 'recordMeasurement', input });
    const { outcome } = await workflowService.updateWorkflowExecution({
      ...at,
      // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- completed; the enum lives in generated code
      waitPolicy: { lifecycleStage: 3 },
      request: { meta: { updateId: randomUUID() }, input: { name: 'setThreshold', args: input } },
    });
    expect(outcome?.failure?.message).toBeTruthy();
    expect(await statusOf(nodes, nodeId)).toMatchObject({ status: 4 });
    await nodes.send(nodeId, [measured(30)]);
    const again = await goOnWith(by(first));
    await again.send(nodeId, [measured(75)]);
    expect(await statusOf(again, nodeId)).toMatchObject({ status: 4 });
    expect((await rawHistory(again.client, nodeId)).includes('cannot be read')).toBe(false);
  },
);

test(
  'a signal stays what it was when it came: refused by a worker without its key, or applied by one with it',
  together,
  async (own) => {
    const goOnWith = nodesInTurn(own.onTestFinished);
    const [refusing, applying] = [randomUUID(), randomUUID()];
    let nodes = await goOnWith(by(first));
    for (const nodeId of [refusing, applying]) await nodes.send(nodeId, [windowed(), measured(30)]);
    const client = await bringUpClient({ taskQueue: nodes.taskQueue, payloadKeys: by(second) });
    own.onTestFinished(client.stop);
    const alarm = (nodeId: string) =>
      client.handle(nodeId).signal(signals.setExternalAlarm, { userId: 'operator', status: 4 });
    await alarm(refusing);
    // Once it has been taken: a query waits for the task.
    await eventually(
      () => nodes.handle(refusing).query(queries.alarmStatus),
      ({ status }) => status === 2,
    );
    nodes = await goOnWith(by(first, second));
    expect(await statusOf(nodes, refusing)).toMatchObject({ status: 2 });
    await nodes.send(refusing, [measured(75)]);
    expect(await statusOf(nodes, refusing)).toMatchObject({ status: 4 });
    await alarm(applying);
    await eventually(
      () => statusOf(nodes, applying),
      ({ status }) => status === 4,
    );
    await goOnWith(by(first));
    await client.handle(applying).signal('anything');
    await eventually(
      async () => (await rawHistory(client.client, applying)).includes('cannot be read'),
      Boolean,
      60_000,
    );
    nodes = await goOnWith(by(first, second), nodes);
    await eventually(
      () => statusOf(nodes, applying).catch(() => undefined),
      (answer) => answer?.externalAlarm?.status === 4,
      60_000,
    );
    await nodes.send(applying, [{ name: 'setExternalAlarm', userId: 'tester', status: 0 }]);
    expect(await statusOf(nodes, applying)).toMatchObject({ status: 2 });
  },
);

test('every payload that Temporal keeps of a node is bound to it', together, async (own) => {
  const nodes = await nodesInTurn(own.onTestFinished)(by(first));
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed(), measured(75)]);
  await nodes.handle(nodeId).signal(signals.setExternalAlarm, { userId: 'operator', status: 3 });
  await continueAsNew(nodes, nodeId);
  await nodes.send(nodeId, [measured(30)]);
  await eventually(
    () => rawHistory(nodes.client, nodeId),
    (history) => history.includes('publishEvents'),
  );
  const found: Payload[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('metadata' in value && 'data' in value) found.push(value as Payload);
    else for (const member of Object.values(value)) look(member);
  };
  look((await historyOf(nodes.client, nodeId))?.events);
  const sealed = found.filter(({ metadata }) => metadata?.['encryption-key-id'] !== undefined);
  expect(sealed.length).toBeGreaterThan(3);
  const settings = { connection: { address: inject('temporalAddress') }, namespace: 'default', payloadKeys: by(first) };
  const node = await connectTemporal({ ...settings, taskQueue: nodes.taskQueue, searchAttributes: true });
  expect(rightOf(await node.stateOf(nodeId).finally(node.close))).toMatchObject({
    threshold: { overall: { outerHigh: 70 } },
    parts: { external: { status: 3 } },
  });
  for (const payload of sealed) {
    expect(decrypt([first], payload, workflowIdOf(nodeId))).toMatchObject({ _tag: 'Right' });
    expect(decrypt([first], payload, workflowIdOf(randomUUID()))).toMatchObject({ _tag: 'Left' });
  }
});

test(
  'a running system turns encryption on: what was plain is read on, commands by hand stay plain',
  together,
  async (own) => {
    const goOnWith = nodesInTurn(own.onTestFinished);
    const nodeId = randomUUID();
    let nodes = await goOnWith();
    await nodes.send(nodeId, [windowed(), measured(60)]);
    nodes = await goOnWith({ decrypt: [first] });
    nodes = await goOnWith(by(first));
    expect(await statusOf(nodes, nodeId)).toMatchObject({ status: 4 });
    const byHand = await bringUpClient({ taskQueue: nodes.taskQueue });
    own.onTestFinished(byHand.stop);
    await byHand.handle(nodeId).signal(signals.setExternalAlarm, { userId: 'operator', status: 3 });
    await eventually(
      () => statusOf(nodes, nodeId),
      ({ externalAlarm }) => externalAlarm?.status === 3,
    );
  },
);
