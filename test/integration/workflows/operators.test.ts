import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { continueAsNewArgument, newNode } from '../../../workflows/domain/node/state';
import { queries, signals, updates, WORKFLOW_TYPE, workflowIdOf } from '../../../workflows/messages';
import { bringUpClient, bringUpNodes, eventually, measured, windowed } from './nodes';
import { forFile } from '../../support/for-file';

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

test('an operator starts an empty node without an argument and reads it', async () => {
  const nodeId = randomUUID();
  await nodes.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: workflowIdOf(nodeId),
    taskQueue: nodes.taskQueue,
    args: [],
  });
  expect(await nodes.handle(nodeId).query(queries.alarmStatus)).toEqual({ nodeId, updatedAt: 0, status: 0 });
  expect(await nodes.handle(nodeId).query(queries.threshold)).toEqual({
    revision: 0,
    threshold: { nodeId, thresholdType: 0 },
  });
});

test('every command is an update and a signal of the same name', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  const { name: _, ...measurement } = measured(60) as { readonly name: string };
  const { name: __, ...later } = measured(30) as { readonly name: string };
  expect(await nodes.handle(nodeId).executeUpdate(updates.recordMeasurement, { args: [measurement] })).toEqual({
    revision: 1,
    status: 4,
    changed: true,
  });
  await nodes.handle(nodeId).signal(signals.recordMeasurement, later);
  await eventually(
    () => nodes.handle(nodeId).query(queries.alarmStatus),
    ({ status }) => status === 2,
  );
});

test('an update with nothing to do succeeds, and so does a repeat', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  const update = (name: 'republish' | 'setExternalAlarm', payload: object) =>
    nodes.handle(nodeId).executeUpdate(updates[name], { args: [{ userId: 'u', idempotencyKey: name, ...payload }] });
  const untouched = randomUUID();
  await nodes.client.workflow.start(WORKFLOW_TYPE, { workflowId: workflowIdOf(untouched), taskQueue: nodes.taskQueue });
  expect(await nodes.handle(untouched).executeUpdate(updates.recalculate, { args: [{ userId: 'u' }] })).toEqual({
    revision: 0,
    status: 0,
    changed: false,
  });
  const done = { revision: 1, status: 3 };
  expect(await update('setExternalAlarm', { status: 3 })).toEqual({ ...done, changed: true });
  expect(await update('setExternalAlarm', { status: 3 })).toEqual({ ...done, changed: false });
  expect(await update('republish', {})).toEqual({ ...done, changed: true });
});

test('a cancel request does not close a node', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.handle(nodeId).cancel();
  await nodes.send(nodeId, [measured(60)]);
  expect(await nodes.handle(nodeId).query(queries.alarmStatus)).toMatchObject({ status: 4 });
  expect((await nodes.handle(nodeId).describe()).status.name).toBe('RUNNING');
});

/** A node in DANGER is left so by `trouble`, and takes a good measurement after it. */
const goesOnAfter = async (trouble: (nodeId: string) => Promise<unknown>): Promise<void> => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed(), measured(60)]);
  const before = await nodes.handle(nodeId).query(queries.alarmStatus);
  await trouble(nodeId);
  expect(await nodes.handle(nodeId).query(queries.alarmStatus)).toEqual(before);
  await nodes.send(nodeId, [measured(30)]);
  expect(await nodes.handle(nodeId).query(queries.alarmStatus)).toMatchObject({ status: 2 });
};

test('signals with anything in them change nothing and do not hold up the node', async () => {
  const garbage: ReadonlyArray<unknown> = [
    17,
    { threshold: {} },
    { userId: 'u', threshold: { overall: { innerHigh: 'hot' } } },
    { userId: 'u', threshold: {}, colour: 'red' },
    'x'.repeat(256 * 1_024),
    { userId: 'u', threshold: JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) as unknown },
    Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 0])),
    JSON.parse('{"userId": "u", "threshold": {}, "__proto__": {"x": 1}}') as unknown,
  ];
  await goesOnAfter(async (nodeId) => {
    for (const payload of garbage) await nodes.handle(nodeId).signal(signals.setThreshold, payload);
    await nodes.handle(nodeId).signal('explode', { userId: 'u' });
  });
});

/** A payload as any client may send it: another encoding, or none, or one that lies about what it holds. */
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
test.each([
  ['another encoding', { metadata: { encoding: bytes('binary/encrypted') }, data: bytes('not for us') }],
  ['half a JSON document', { metadata: { encoding: bytes('json/plain') }, data: bytes('{"userId": "u", ') }],
  ['a protobuf of nobody', { metadata: { encoding: bytes('json/protobuf') }, data: bytes('{}') }],
  ['no encoding', { metadata: {}, data: bytes('{}') }],
  ['no metadata', { data: bytes('{}') }],
  ['plain bytes', { metadata: { encoding: bytes('binary/plain') }, data: bytes('{}') }],
])('%s in a signal is passed over and in an update refused', async (_, payload) => {
  const { workflowService } = nodes.client;
  await goesOnAfter(async (nodeId) => {
    const at = { namespace: 'default', workflowExecution: { workflowId: workflowIdOf(nodeId) } };
    const payloads = { payloads: [payload] };
    await workflowService.signalWorkflowExecution({ ...at, signalName: 'recordMeasurement', input: payloads });
    const { outcome } = await workflowService.updateWorkflowExecution({
      ...at,
      // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- completed; the enum lives in generated code
      waitPolicy: { lifecycleStage: 3 },
      request: { meta: { updateId: randomUUID() }, input: { name: 'setThreshold', args: payloads } },
    });
    expect(outcome?.failure?.message).toBeTruthy();
  });
});

test('an update of an unknown name is refused', () =>
  goesOnAfter(async (nodeId) => {
    await expect(nodes.handle(nodeId).executeUpdate('explode', { args: [{ userId: 'u' }] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('explode') },
    });
  }));

test('a refused update tells its reasons and leaves no history', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.entriesOnce(nodeId, 2);
  await nodes.allPublished(nodeId);
  const before = (await nodes.handle(nodeId).describe()).historyLength;
  await expect(
    nodes.handle(nodeId).executeUpdate(updates.setExternalAlarm, { args: [{ userId: 'u', status: 9 }] }),
  ).rejects.toMatchObject({
    cause: {
      type: 'InvalidCommand',
      details: [{ reasons: [{ name: 'status', reason: 'must be one of 0, 1, 2, 3, 4' }] }],
    },
  });
  expect((await nodes.handle(nodeId).describe()).historyLength - before).toBe(0);
});

test.each([
  ['an id that is not of a node', `point-alarm-${randomUUID()}x`, [], 'InvalidWorkflowId'],
  ['a state that does not decode', workflowIdOf(randomUUID()), [{ state: {} }], 'InvalidState'],
  ["another node's state", workflowIdOf(randomUUID()), [continueAsNewArgument(newNode(randomUUID()))], 'InvalidState'],
])('a start with %s fails at once', async (_, workflowId, args, type) => {
  const handle = await nodes.client.workflow.start(WORKFLOW_TYPE, { workflowId, taskQueue: nodes.taskQueue, args });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type } });
});

test('signals that wait for a node when it begins are carried out in the order they were sent', async () => {
  const early = await bringUpClient();
  onTestFinished(() => early.stop());
  const nodeId = randomUUID();
  const sent = [
    ['setThreshold', { userId: '1', threshold: { thresholdType: 0 } }],
    ['nobodyKnowsIt', {}],
    ['setExternalAlarm', { userId: '2', status: 3 }],
    ['setThreshold', { userId: '3', threshold: { thresholdType: 0 } }],
    ['setExternalAlarm', { userId: '4', status: 2 }],
  ] as const;
  for (const [name, payload] of sent) {
    await early.client.workflow.signalWithStart(WORKFLOW_TYPE, {
      workflowId: workflowIdOf(nodeId),
      taskQueue: early.taskQueue,
      signal: name,
      signalArgs: [payload],
    });
  }
  const late = await bringUpNodes({ taskQueue: early.taskQueue });
  onTestFinished(() => late.stop());
  const entries = await late.entriesOnce(nodeId, 5);
  expect(entries.map(({ userId }) => userId)).toEqual(['1', '2', '3', '3', '4']);
});
