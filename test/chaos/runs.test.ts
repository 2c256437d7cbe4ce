import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import { publishNowUpdate, queries, workflowIdOf } from '../../workflows/messages';
import { commandOf } from './command-of';
import { finalsOf } from './finals';
import type { JsonObject, Write } from './history';
import { largestAnswers, largestDataPoint, largestSpectrum, largestThreshold } from './load/largest';
import { put } from './load/put';
import { eventually } from './probe';
import { runScenario, settingOf, type Setting } from './scenario';
import { isLong, seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack({ temporalLimits: 'own' });

/** Enough for four runs, or more; and when that must have come about. */
const WRITES = isLong ? 50_000 : 2_200;
const WITHIN_MS = isLong ? 500_000 : 90_000;
/** Together about fifteen signals a second. */
const SIGNALLERS = 3;
const PAUSE_MS = 350;

/** Sends signals to the hot node until `ended`; one that the server took is as good as acknowledged. */
const signalUntil = async (setting: Setting, ended: () => boolean): Promise<void> => {
  const { stack: of, asks, random, recorder, nodes } = setting;
  while (!ended()) {
    const nodeId = random.pick(nodes);
    const id = random.uuid();
    const asked = asks.any();
    const { name, ...payload } = commandOf(asked);
    const sentAt = performance.now();
    const answer: Write['answer'] = await of.client.workflow
      .getHandle(workflowIdOf(nodeId))
      .signal(name, { ...payload, userId: id, idempotencyKey: id })
      .then(
        () => 'acknowledged',
        () => 'unknown',
      );
    recorder.writes.push({ id, nodeId, asked, sentAt, answeredAt: Infinity, answer });
    await sleep(PAUSE_MS * random.draw());
  }
};

test('a hot node continues as new under 64 callers and signals, on the limits that a server has by itself', async () => {
  const { verdict, setting } = await runScenario(stack(), tail(), {
    name: 'a hot node continues as new',
    seed,
    nodes: 1,
    callers: 64,
    pauseMs: 2,
    keyed: 0,
    fault: async (running) => {
      const until = performance.now() + WITHIN_MS;
      const ended = (): boolean => running.recorder.writes.length >= WRITES || performance.now() > until;
      await Promise.all(Array.from({ length: SIGNALLERS }, () => signalUntil(running, ended)));
      return performance.now();
    },
  });
  expect(verdict.breaches).toEqual([]);
  expect(verdict.unknown).toBe(0);
  const [hot = ''] = setting.nodes;
  const { count } = await stack().client.workflow.count(`WorkflowId = "${workflowIdOf(hot)}"`);
  expect(count).toBeGreaterThan(2);
  const failed = setting.recorder.tries.filter(({ called: { status } }) => status === 0 || status >= 500);
  expect(failed.map(({ called }) => called)).toEqual([]);
});

test('a node at every bound continues as new while Redis hangs, and loses nothing', async () => {
  const setting = settingOf(stack(), tail(), { seed: seed + 1, nodes: 1 });
  const { random, nodes, caller } = setting;
  const [nodeId = ''] = nodes;
  const handle = stack().client.workflow.getHandle(workflowIdOf(nodeId));
  const status = `/v1/alarm-status/${nodeId}`;
  const done = async (path: string, content?: JsonObject, key?: string): Promise<void> => {
    expect(await put(setting, path, content, key)).toMatchObject({ status: 204 });
  };
  const keys = Array.from({ length: 256 }, () => random.uuid().repeat(4).slice(0, 128));
  for (const key of keys) await done(`${status}/status/external`, { status: 2, setBy: random.uuid() }, key);
  await done(`/v1/point-alarm-threshold/${nodeId}`, largestThreshold(random));
  for (const largest of [largestSpectrum, largestAnswers, largestDataPoint]) await done(status, largest(random));
  const pending = async (): Promise<ReadonlyArray<string>> =>
    (await handle.query<ReadonlyArray<OutboxEvent>>(queries.pendingEvents)).map(({ sequenceId }) => sequenceId);
  const allPublished = async (): Promise<void> => {
    await handle.executeUpdate(publishNowUpdate).catch(() => undefined); // refused where nothing waits
    await eventually(pending, ({ length }) => length === 0, 20_000);
  };
  await allPublished();

  stack().redis.freeze();
  let refused = await put(setting, status);
  while (refused.status === 204) refused = await put(setting, status);
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  const waiting = await pending();
  const runs = async (): Promise<string> => (await handle.describe()).runId;
  const before = await runs();
  for (let signal = 0; signal < 10; signal += 1) await handle.signal('recalculate', 'x'.repeat(500_000));
  await eventually(
    async () => {
      await put(setting, status);
      return runs();
    },
    (run) => run !== before,
    30_000,
  );
  const ended = await stack().client.workflow.getHandle(workflowIdOf(nodeId), before).describe();
  expect(ended.status.name).toBe('CONTINUED_AS_NEW');
  expect(await pending()).toEqual(waiting);

  stack().redis.thaw();
  await allPublished();
  await done(status);
  await allPublished();
  const entries = (await tail().read()).filter((entry) => entry['aggregateId'] === nodeId);
  const told = entries.map((entry) => entry['sequenceId']);
  expect(told).toEqual([...new Set(told)].sort());
  expect(told).toHaveLength(256 + 2 + 3 + waiting.length + 1);
  const [final] = await finalsOf(setting);
  const last = JSON.parse(entries.at(-1)?.['data'] ?? '') as JsonObject;
  expect(final?.alarmStatus).toMatchObject({ updatedAt: last['updatedAt'], bandAlarms: last['bandAlarms'] });
  caller.close();
});
