import { expect, test } from 'vitest';
import { hardLimits } from '../../workflows/domain/limits';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import { publishNowUpdate, queries, workflowIdOf } from '../../workflows/messages';
import { finalsOf, settingOf, type Setting } from './scenario';
import type { JsonObject } from './history';
import type { CallResult } from './load/call';
import type { Random } from './load/random';
import { eventually } from './probe';
import { seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack({ dynamicConfig: {} });

const about = (random: Random): JsonObject => ({
  measurementId: random.uuid(),
  createdAt: new Date().toISOString(),
  tags: { note: 'x'.repeat(4_000) },
  rateOfChange: random.draw(),
});

/** A spectrum of as many lines as one may have, unevenly spaced, so that each takes the most room. */
const largestSpectrum = (random: Random): JsonObject => ({
  ...about(random),
  contentType: 'SPECTRUM',
  spectrum: {
    speed: 1_500,
    xUnit: 'Hz',
    yUnit: 'mm/s',
    coordinates: Array.from({ length: hardLimits.spectrumLines }, (_, line) => ({
      x: line + random.below(1_000) / 2_000,
      y: random.below(999_999) / 1_000,
    })),
  },
});

/** Answers of nearly 128 KiB. */
const largestAnswers = (random: Random): JsonObject => ({
  ...about(random),
  contentType: 'QUESTION_ANSWERS',
  questionAnswers: Array.from({ length: 100 }, () => random.uuid().repeat(36).slice(0, 1_000)),
});

const largestDataPoint = (random: Random): JsonObject => ({
  ...about(random),
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y: 30 }, xUnit: 's', yUnit: 'C' },
});

/** A threshold of every kind, nearly 128 KiB. */
const largestThreshold = (random: Random): JsonObject => ({
  thresholdType: 3,
  inspection: { choices: [{ answer: 'yes', status: 2 }] },
  rateOfChange: { outerHigh: 9, innerHigh: 5, innerLow: -5, outerLow: -9 },
  bandAlarms: Array.from({ length: 100 }, (_, band) => ({
    label: random.uuid().repeat(30).slice(0, 1_000),
    minFrequency: { value: band, valueType: 1 },
    maxFrequency: { value: band + 1, valueType: 1 },
    overallThreshold: { upperAlert: { value: 5, valueType: 1 }, upperDanger: { value: 9, valueType: 1 } },
  })),
});

/** PUTs `content` by the first API, as a user of no history; `content` undefined: no body. */
const put = async (
  { stack, caller }: Setting,
  path: string,
  content?: JsonObject,
  key?: string,
): Promise<CallResult> => {
  const headers = {
    Authorization: `Bearer ${await stack.signToken('one user')}`,
    ...(content !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const body = content === undefined ? {} : { body: JSON.stringify(content) };
  return caller.call(stack.apis[0].url, { method: 'PUT', path, headers, ...body });
};

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
  const publishedIds = entries.map((entry) => entry['sequenceId']);
  expect(publishedIds).toEqual([...new Set(publishedIds)].sort());
  expect(publishedIds).toHaveLength(256 + 2 + 3 + waiting.length + 1);
  const [final] = await finalsOf(setting);
  const last = JSON.parse(entries.at(-1)?.['data'] ?? '') as JsonObject;
  expect(final?.alarmStatus).toMatchObject({ updatedAt: last['updatedAt'], bandAlarms: last['bandAlarms'] });
  caller.close();
});
