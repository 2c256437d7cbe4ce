import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../../dev/stack/free-ports';
import { entries } from '../../../../dev/stack/service';
import { createCaller } from '../../../chaos/load/call';
import { attacks, type Seen } from '../../../support/attacks/attacks';
import { startAttack } from '../../../support/attacks/running-attack';
import { exchange } from '../../../support/api/call';
import { ADMIN, createCallers, POINT, STRANGER, type Callers } from '../../../support/api/callers';
import { runNode, type RunningProcess } from '../../../support/run-node';

/** How a well-behaved client fares: latencies of its calls in ms, and the statuses that it got. */
interface Experience {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly statuses: ReadonlySet<number>;
}

const PAUSE_MS = 5;

/** Calls `path` for `ms`, one call after the other on two connections, as a client does that means well. */
const experience = async (path: string, ms: number): Promise<Experience> => {
  const caller = createCaller();
  const taken: number[] = [];
  const statuses = new Set<number>();
  const end = performance.now() + ms;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const call = { method: 'GET', path, headers: { Authorization: token } } as const;
      const called = await caller.call(`http://127.0.0.1:${port}`, call);
      statuses.add(called.status);
      taken.push(called.ms);
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all([one(), one()]);
  caller.close();
  taken.sort((a, b) => a - b);
  const at = (share: number): number => Number((taken[Math.floor(taken.length * share)] ?? NaN).toFixed(1));
  return { calls: taken.length, p50: at(0.5), p99: at(0.99), worst: Math.round(taken.at(-1) ?? NaN), statuses };
};

/** A read that is answered from the cache: Temporal is not measured. */
const GOOD_PATH = `/v1/alarm-status/${POINT}`;
/** An unknown node: 404. */
const BAD_PATH = `/v1/alarm-status/${STRANGER}`;
const PATH = `/v1/alarm-status/${POINT}/status/external`;

/** How many connections one process may have here, and as many as the attack wants at most. */
const most = Math.min(
  10_000,
  Number(/Max open files +(\d+)/u.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) - 500,
);

let callers: Callers;
let token: string;
let api: RunningProcess;
let port: number;
/** Files that the API has open without callers. */
let idle: number;
beforeAll(async () => {
  callers = await createCallers();
  token = await callers.token(ADMIN, '1h');
  port = await freePort();
  api = runNode(entries.api, {
    PATH: process.env['PATH'],
    PORT: String(port),
    AUTH_JWKS_FILE: callers.jwksFile,
    GRANTS_FILE: callers.grantsFile,
    HIERARCHY_FILE: callers.hierarchyFile,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    REDIS_URL: inject('redisUrl'),
    HEADERS_TIMEOUT_MS: '1500',
    REQUEST_TIMEOUT_MS: '2500',
    CALL_DEADLINE_MS: '3000',
    SOCKET_TIMEOUT_MS: '3500',
    KEEP_ALIVE_TIMEOUT_MS: '3500',
    MAX_CONNECTIONS: '10100',
    READS: 'cache',
    LOG_LEVEL: 'error',
  });
  await vi.waitUntil(() => exchange({ port }, 'GET', '/healthz', {}).catch(() => undefined), 60_000);
  // until the code is warm, that which reads bodies too
  const warmUp = startAttack('bodies of huge numbers', { port, path: PATH, readPath: BAD_PATH, token }, most);
  await experience(GOOD_PATH, 3_000);
  await warmUp.stop();
  await sleep(3_000); // until the last answers that waited are out
  idle = connections();
});
afterAll(async () => {
  await api.stop();
  await callers.remove();
});

/** Megabytes of memory that the API has. */
const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Files and connections that the API has open. */
const connections = (): number => readdirSync(`/proc/${api.pid}/fd`).length;

/** What an attack must have come to, beyond what is asked of all. */
const outcomes: Readonly<Record<string, (seen: Seen) => void>> = {
  'idle connections': ({ opened }) => expect(opened).toBe(most),
  'slow heads': ({ statuses, closed }) =>
    expect([statuses['408'], closed]).toEqual([expect.any(Number), expect.any(Number)]),
  'slow bodies': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['408']),
  'answers that nobody reads': ({ opened }) => expect(opened).toBe(50),
  pipelining: ({ statuses }) => expect(Object.keys(statuses)).toEqual(['404']),
  'heads of many fields': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['431']),
  'heads of many bytes': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['431']),
  'compressed bodies': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['415']),
  'bodies that nest': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['400']),
  'bodies of members named twice': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['400']),
  'bodies of huge numbers': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['400']),
  'forged tokens': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['401']),
  'a page without a token': ({ statuses }) =>
    expect(['200', '503']).toEqual(expect.arrayContaining(Object.keys(statuses))),
  'metrics without a token': ({ statuses }) =>
    expect(['200', '503']).toEqual(expect.arrayContaining(Object.keys(statuses))),
  'readiness without a token': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['200']),
  'no HTTP': ({ statuses }) => expect(Object.keys(statuses)).toEqual(['400']),
};

test('every attack is tested here', () => expect(Object.keys(outcomes)).toEqual(Object.keys(attacks)));

test.each(Object.keys(attacks))('others are served meanwhile, and memory stays bounded: %s', async (name) => {
  const before = { memory: memory(), good: await experience(GOOD_PATH, 2_500) };
  const attack = startAttack(name, { port, path: PATH, readPath: BAD_PATH, token }, most);
  onTestFinished(attack.stop);
  await expect.poll(async () => (await attack.seen()).opened, { timeout: 30_000 }).toBeGreaterThan(0);
  if (name === 'idle connections') {
    await expect.poll(async () => (await attack.seen()).opened, { timeout: 30_000 }).toBe(most);
  }
  await sleep(name.startsWith('slow') || name.startsWith('answers') ? 2_500 : 0);
  const good = await experience(GOOD_PATH, 5_000);
  const during = memory();
  if (name !== 'answers that nobody reads') {
    // Answers to refusals wait once there are many.
    await expect.poll(async () => Object.keys((await attack.seen()).statuses), { timeout: 15_000 }).not.toEqual([]);
  }
  const seen = await attack.seen();
  const ratio = (good.p99 / before.good.p99).toFixed(1);
  console.info(
    `${name}: p50 ${before.good.p50} -> ${good.p50} ms, p99 ${before.good.p99} -> ${good.p99} ms (x ${ratio}), worst ${good.worst} ms; memory ${Math.round(before.memory)} -> ${Math.round(during)} MB; ${JSON.stringify(seen)}`,
  );
  expect([...good.statuses]).toEqual([200]);
  expect(good.calls).toBeGreaterThan(0); // how many is for a quiet machine to tell
  expect(during - before.memory).toBeLessThan(400);
  outcomes[name]?.(seen);
  expect(api.isRunning(), api.said()).toBe(true);
});

test('a caller that does not read its answers is disconnected', async () => {
  const attack = startAttack('answers that nobody reads', { port, path: PATH, readPath: BAD_PATH, token }, 0);
  onTestFinished(attack.stop);
  await expect.poll(connections, { timeout: 10_000 }).toBeGreaterThanOrEqual(idle + 40);
  await expect.poll(connections, { timeout: 20_000 }).toBeLessThanOrEqual(idle + 5);
  expect((await attack.seen()).opened).toBe(50);
});

test('memory comes back', () => expect.poll(memory, { timeout: 30_000, interval: 1_000 }).toBeLessThan(700));
