import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inParallel } from '../../../../process/in-parallel';
import { exchange } from '../../../support/api/call';
import { ADMIN } from '../../../support/api/callers';
import { thresholdOfBytes } from '../../../support/measurements';
import { startService, type Service } from '../../../support/service';
import { folderOfFile } from '../../../support/temporary-folder';

/** Bytes of a threshold, close to the most that it may have; and how many nodes have more than an answer may. */
const HEAVY_BYTES = 127 * 1_024;
const HEAVY_NODES = 300;

const idsOf = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => randomUUID());
const users = [ADMIN, ...idsOf(4)];

interface Answered {
  readonly status: number;
  readonly bytes: number;
  /** What it begins with. */
  readonly text: string;
}

const folder = folderOfFile();

describe.each(['node', 'cache'])('with READS=%s', (reads) => {
  const [heavy, small] = [idsOf(HEAVY_NODES), idsOf(1_000)];
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let service: Service;
  let tokens: ReadonlyArray<string>;

  const send = (method: string, path: string, content: unknown, token = tokens[0]): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const body = Buffer.from(JSON.stringify(content));
      const about = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const headers = { Authorization: `Bearer ${token}`, ...about };
      const sent = request({ agent, host: '127.0.0.1', port: service.api, method, path, headers }, (response) => {
        let [bytes, text] = [0, ''];
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (text.length < 10_000) text += chunk.toString('latin1');
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, text }));
        response.on('error', reject);
      });
      sent.on('error', reject).end(body);
    });
  const batch = (nodeIDs: ReadonlyArray<string>, token?: string): Promise<Answered> =>
    send('POST', '/v1/point-alarm-threshold-batch', { nodeIDs }, token);
  const peakMegabytes = (): number => {
    const status = readFileSync(`/proc/${service.apiPid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1]) / 1_024);
  };

  beforeAll(async () => {
    const grantsFile = join(folder, 'grants.json');
    writeFileSync(grantsFile, JSON.stringify({ grants: [{ user: '*', actions: ['*'], node: '*' }] }));
    service = await startService({ READS: reads, GRANTS_FILE: grantsFile, LOG_LEVEL: 'warn' });
    tokens = await Promise.all(users.map((user) => service.token(user)));
    const body = thresholdOfBytes(HEAVY_BYTES);
    const put = (node: string) => send('PUT', `/v1/point-alarm-threshold/${node}`, body);
    await inParallel(heavy, 4, async (node) => {
      await vi.waitUntil(async () => (await put(node)).status === 204, { timeout: 60_000, interval: 500 });
    });
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
  });

  test('five batches at once whose answers would be too long are refused, and the process stays small and quick', async () => {
    let [slowestMs, isOver] = [0, false];
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const began = performance.now();
        expect((await exchange({ port: service.api }, 'GET', '/healthz', {})).status).toBe(200);
        slowestMs = Math.max(slowestMs, performance.now() - began);
        await sleep(20);
      }
    };
    const watched = watch();
    const began = performance.now();
    const wanted = [...heavy, ...small.slice(HEAVY_NODES)];
    const answers = await Promise.all(tokens.map((token) => batch(wanted, token)));
    const ms = Math.round(performance.now() - began);
    isOver = true;
    await watched;
    const statuses = answers.map(({ status }) => status);
    console.info(
      `READS=${reads}: ${statuses.join()} after ${ms} ms; /healthz within ${Math.round(slowestMs)} ms; at most ${peakMegabytes()} MB`,
    );
    for (const status of statuses) expect([400, 429, 503]).toContain(status);
    expect(slowestMs).toBeLessThan(1_000);
    expect(peakMegabytes()).toBeLessThan(512);
  });

  test('the count in the refusal fits, and one more does not', async () => {
    const refused = await batch(heavy);
    expect(refused.status, refused.text).toBe(400);
    const fitting = Number(/only the first (\d+) of these nodes fit/u.exec(refused.text)?.[1]);
    expect(fitting).toBeGreaterThan(200);
    expect((await batch(heavy.slice(0, fitting + 1))).status).toBe(400);
    const { status, bytes } = await batch(heavy.slice(0, fitting));
    expect([status, bytes > fitting * HEAVY_BYTES]).toEqual([200, true]);
    expect(peakMegabytes()).toBeLessThan(512);
  });

  test('1,000 small ones are answered', async () => {
    const { status, text } = await batch(small);
    expect([status, text.slice(0, 100)]).toEqual([
      200,
      expect.stringMatching(`^{"thresholds":\\[{"nodeId":"${small[0]}","thresholdType":0},`),
    ]);
  });
});
