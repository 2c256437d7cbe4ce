import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PointAlarms } from '../../api/ports';
import { call, type Reply } from '../support/api/call';
import { ADMIN, OWNER } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { createMemoryNodes } from '../support/api/memory-point-alarms';
import { apiOfTest, type Api } from '../support/api/start-api';
import { thresholdOfBytes } from '../support/measurements';

const PATH = '/v1/point-alarm-threshold-batch';
const ids = Array.from({ length: 1_000 }, () => randomUUID());

/** An API whose nodes all have a threshold of so many bytes, read after `ms`, and which counts the reads. */
const started = async (bytes: number, memoryBytes: number, ms?: number) => {
  const shown = thresholdOfBytes(bytes);
  const counts = { reads: 0 };
  const threshold: PointAlarms['threshold'] = (nodeId) => async () => {
    counts.reads += 1;
    if (ms !== undefined) await sleep(ms);
    return E.right({ value: { revision: 1, threshold: { nodeId, ...shown } } });
  };
  const api = await apiOfTest({
    ports: {
      pointAlarms: { ...createMemoryNodes().port, threshold },
      hierarchy: { kindOf: () => 'measurement_point' },
      authorizer: { violations: () => () => Promise.resolve(E.right([])) },
    },
    settings: { CALL_MEMORY_BYTES: memoryBytes, CALL_DEADLINE_MS: 10_000 },
  });
  const batch = async (nodeIDs: ReadonlyArray<string>, user = ADMIN): Promise<Reply> => {
    const reply = await call(api, { method: 'POST', path: PATH, user, body: { nodeIDs } });
    expectDocumented(routeOf(api.routes, 'getThresholds'), reply);
    return reply;
  };
  return { api, batch, counts, shown };
};

const MIB = 1_048_576;

describe('the answer to a batch', () => {
  test('has the thresholds in the order of the list, repeats included, and its length', async () => {
    const { batch, shown } = await started(2_000, 8 * MIB);
    const wanted = [...ids.slice(0, 100), ...ids.slice(0, 50).reverse()];
    const reply = await batch(wanted);
    expect(reply.text).toBe(JSON.stringify({ thresholds: wanted.map((nodeId) => ({ nodeId, ...shown })) }));
    expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
    expect((await batch([])).text).toBe('{"thresholds":[]}');
  });

  test('that would be too long is refused, and says how many nodes fit; the rest is not read', async () => {
    const { batch, counts } = await started(10_000, 2 * MIB);
    const { reasons = [] } = expectProblem(await batch(ids), {
      status: 400,
      type: 'invalid-request',
      names: ['nodeIDs'],
    });
    const fitting = Number(/only the first (\d+) of these nodes fit/u.exec(reasons[0]?.reason ?? '')?.[1]);
    expect(fitting).toBeGreaterThan(90);
    expect(fitting).toBeLessThan(MIB / 10_000);
    expect(counts.reads).toBeLessThanOrEqual(fitting + 64);
    expect((await batch(ids.slice(0, fitting))).status).toBe(200);
    expect((await batch(ids.slice(0, fitting + 1))).status).toBe(400);
  });

  test('counts every place of a node in the list', async () => {
    const { batch, counts } = await started(10_000, 2 * MIB);
    const { reasons } = expectProblem(await batch(Array<string>(1_000).fill(ids[0] ?? '')), {
      status: 400,
      type: 'invalid-request',
    });
    expect(reasons?.[0]?.reason).toMatch(/only the first 1\d\d of these nodes fit/u);
    expect(counts.reads).toBe(1);
  });

  test('that would be too long counts repeats where they stand in the list', async () => {
    const { batch } = await started(10_000, 2 * MIB);
    const [heavy = ''] = ids;
    const wanted = [heavy, ...ids.slice(1, 91), ...Array<string>(400).fill(heavy)];
    const { reasons } = expectProblem(await batch(wanted), { status: 400, type: 'invalid-request' });
    const fitting = Number(/only the first (\d+) of these nodes fit/u.exec(reasons?.[0]?.reason ?? '')?.[1]);
    expect((await batch(wanted.slice(0, fitting))).status).toBe(200);
    expect((await batch(wanted.slice(0, fitting + 1))).status).toBe(400);
  });

  test('shares the memory of bodies: what another call of the user holds is missing, and another user finds memory', async () => {
    const { api, batch } = await started(10_000, 2 * MIB);
    const held = await unfinished(api, 900_000);
    await expect.poll(async () => (await batch(ids.slice(0, 50))).status).toBe(429);
    expect((await batch(ids.slice(0, 50), OWNER)).status).toBe(200);
    held.destroy();
    await expect.poll(async () => (await batch(ids.slice(0, 50))).status).toBe(200);
  });

  test('gives its memory back once it is sent, and where its caller leaves', async () => {
    const { api, batch } = await started(10_000, 2 * MIB, 20);
    const most = ids.slice(0, 100);
    for (let count = 0; count < 5; count += 1) expect((await batch(most)).status).toBe(200);
    const body = JSON.stringify({ nodeIDs: most });
    for (let count = 0; count < 5; count += 1) {
      const socket = connect(api.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`${await headOf(api, 'POST', PATH, body.length)}${body}`);
      await sleep(10 * count);
      socket.destroy();
    }
    await expect.poll(async () => (await batch(most)).status).toBe(200);
  });
});

const headOf = async (api: Api, method: string, path: string, length: number): Promise<string> => {
  const fields = `Host: x\r\nAuthorization: ${await api.callers.token(ADMIN)}\r\nContent-Type: application/json`;
  return `${method} ${path} HTTP/1.1\r\n${fields}\r\nContent-Length: ${length}\r\n\r\n`;
};

/** A write of which all but the last byte is sent. */
const unfinished = async (api: Api, bytes: number): Promise<Socket> => {
  const socket = connect(api.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(await headOf(api, 'PUT', `/v1/alarm-status/${ids[0]}`, bytes));
  socket.write(' '.repeat(bytes - 1));
  return socket;
};
