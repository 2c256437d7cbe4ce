import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inParallel } from '../../process/in-parallel';
import { dataPoint, overall } from '../support/measurements';
import { startService, type Service } from '../support/service';

const CALLS = 50_000;
const AT_ONCE = 64;
/** Calls between two looks at a heap: it grows and shrinks as it is collected. */
const LOOK_EVERY = 500;
/** A call that left 100 bytes behind would add 4 MB between the two stretches. */
const SPARE_BYTES = 4_000_000;

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'warn' });
  token = await service.token();
});
afterAll(() => service.stop());

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
afterAll(() => agent.destroy());

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly content?: unknown;
  readonly as?: string;
  /** The caller leaves before the answer. */
  readonly leaves?: boolean;
}

/** The status of the answer; 0 where the caller left. */
const send = ({ method, path, content, as = token, leaves = false }: Sent): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = Buffer.from(content === undefined ? '' : JSON.stringify(content));
    const about = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const headers = { Authorization: `Bearer ${as}`, ...about };
    const sent = request({ agent, host: '127.0.0.1', port: service.api, method, path, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', (error) => (leaves ? resolve(0) : reject(error))).end(body);
    if (leaves) setTimeout(() => sent.destroy(new Error('left')), 1);
  });

const heapOf = async (port: number): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^nodejs_heap_size_used_bytes(?:\{.*\})? (\S+)$/mu.exec(text)?.[1]);
};

test(`${CALLS} calls, answered, refused and given up, leave nothing in the heaps of the API and of the worker`, async () => {
  const nodes = Array.from({ length: 16 }, () => randomUUID());
  for (const node of nodes)
    expect(await send({ method: 'PUT', path: `/v1/point-alarm-threshold/${node}`, content: overall })).toBe(204);
  const callOf = (index: number): Sent => {
    const path = `/v1/alarm-status/${nodes[index % nodes.length]}`;
    const measured = { method: 'PUT', path, content: dataPoint(index % 30) };
    switch (index % 20) {
      case 0:
        return { ...measured, as: 'nobody' };
      case 1:
        return { ...measured, content: { contentType: 'NOTHING' } };
      case 2:
        return { method: 'GET', path: '/v1/nothing' };
      case 3:
        return { ...measured, leaves: true };
      case 4:
      case 5:
        return { method: 'GET', path };
      default:
        return measured;
    }
  };
  const heaps = { api: [] as number[], worker: [] as number[] };
  const statuses = new Map<number, number>();
  const indexes = Array.from({ length: CALLS }, (_, index) => index);
  await inParallel(indexes, AT_ONCE, async (index) => {
    const status = await send(callOf(index));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (index % LOOK_EVERY !== 0) return;
    for (const name of ['api', 'worker'] as const) heaps[name].push(await heapOf(service[name]));
  });
  console.info(Object.fromEntries(statuses));
  expect((statuses.get(200) ?? 0) + (statuses.get(204) ?? 0)).toBeGreaterThan(0.75 * CALLS);
  for (const [name, all] of Object.entries(heaps)) {
    const [first, last] = [all.slice(all.length / 5, (all.length * 2) / 5), all.slice((all.length * 4) / 5)];
    const grown = Math.min(...last) - Math.min(...first);
    console.info(`${name}: ${(Math.min(...last) / 1e6).toFixed(1)} MB, ${(grown / 1e6).toFixed(2)} MB more`);
    expect(grown, name).toBeLessThan(SPARE_BYTES);
  }
}, 600_000);
