import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call, Reply } from '../../../support/api/call';
import { upTo } from '../../../support/api-side';
import { startService, type Service } from '../../../support/service';

/** What callers of one node are answered, by an API and a worker that are processes of their own. */
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const threshold = (nodeId: string): string => `/v1/point-alarm-threshold/${nodeId}`;
const status = (nodeId: string): string => `/v1/alarm-status/${nodeId}`;
const put = (path: string, body: unknown, key?: string, at: Pick<Service, 'call'> = service): Promise<Reply> =>
  at.call({ method: 'PUT', path, body, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) });
const patch = (nodeId: string, operations: unknown, headers: Call['headers'] = {}): Promise<Reply> =>
  service.call({ method: 'PATCH', path: threshold(nodeId), body: operations, headers });
const window = (outerHigh: number): object => ({
  thresholdType: 2,
  overall: { unit: 'C', outerHigh, innerHigh: 50, innerLow: 20, outerLow: 10 },
});
describe('a write under an idempotency key, again', () => {
  test('is known after many writes without a key', async () => {
    const nodeId = randomUUID();
    await put(threshold(nodeId), window(70), 'K');
    for (const _ of upTo(6))
      await Promise.all(upTo(64).map(() => put(`${status(nodeId)}/status/external`, { status: 2 })));
    expect((await put(threshold(nodeId), window(70), 'K')).headers.etag).toBe('"1"');
    expect((await put(threshold(nodeId), window(80), 'K')).status).toBe(409);
  });
});

test('64 patches at once are each answered what they made, with their own ETag', async () => {
  const nodeId = randomUUID();
  await put(threshold(nodeId), window(70));
  const answers = await Promise.all(
    upTo(64).map(async (index) => ({
      outerHigh: 100 + index / 1_000,
      reply: await patch(nodeId, [{ op: 'replace', path: '/overall/outerHigh', value: 100 + index / 1_000 }]),
    })),
  );
  for (const { outerHigh, reply } of answers)
    expect([reply.status, reply.json]).toEqual([200, { nodeId, ...window(outerHigh) }]);
  const etags = answers.map(({ reply }) => reply.headers.etag);
  expect(new Set(etags).size).toBe(64);
});

test('patches whose answers do not fit into one are answered in as many steps as it takes', async () => {
  const nodeId = randomUUID();
  const choices = upTo(100).map((index) => ({ answer: `${index}`, instruction: 'x'.repeat(1_000), status: 2 }));
  await put(threshold(nodeId), { inspection: { choices } });
  const answers = await Promise.all(
    upTo(8).map((index) => patch(nodeId, [{ op: 'add', path: '/fullScale', value: index + 1 }])),
  );
  answers.forEach((reply, index) => {
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ fullScale: index + 1 });
  });
});

describe('64 callers of a node with 100 bands and 100 HALs', () => {
  const parts = {
    bandAlarms: upTo(100).map((index) => ({
      label: `band ${index} ${'x'.repeat(50)}`,
      minFrequency: { value: index, valueType: 1 },
      maxFrequency: { value: index + 1, valueType: 1 },
    })),
    halAlarms: upTo(100).map((index) => ({ label: `${index + 1}x ${'x'.repeat(50)}` })),
  };
  const manyCallers = async (at: Pick<Service, 'call'>): Promise<void> => {
    const nodeId = randomUUID();
    await put(threshold(nodeId), parts, undefined, at);
    const answers = await Promise.all(
      upTo(64).map((index) => put(`${status(nodeId)}/status/external`, { status: index % 5 }, undefined, at)),
    );
    expect(answers.map((reply) => [reply.status, reply.text])).toEqual(upTo(64).map(() => [204, '']));
  };

  test('are all served: their events go out in as many steps as they need', () => manyCallers(service));

  test('are all served where nodes publish by themselves', async () => {
    const unpushed = await startService({ EVENT_RELAY: 'node' });
    try {
      await manyCallers(unpushed);
    } finally {
      await unpushed.stop();
    }
  });
});
