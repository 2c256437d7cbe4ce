import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../stack/free-ports';
import { projectRoot } from '../../stack/project-root';
import { eventually } from '../integration/workflows/nodes';
import { call } from '../support/api/call';
import { createCallers, type Callers } from '../support/api/callers';
import { findEngine, startContainer, type ContainerEngine, type RunningContainer } from '../support/image/engine';
import { standInBase } from '../support/image/stand-in-base';

const TAG = 'localhost/point-alarm-service:test';
const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
const [, wantedBase = '', nodeVersion = ''] = /^ARG BASE_IMAGE=(node:([\d.]+)\S*)$/mu.exec(dockerfile) ?? [];
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(projectRoot, 'package.json'), 'utf8'),
);

const folder = mkdtempSync(join(tmpdir(), 'point-alarm-image-'));
let engine: ContainerEngine;
let callers: Callers;
let baseImage = wantedBase;

/** The base image where a registry has it, else one made from packages. */
beforeAll(async () => {
  callers = await createCallers();
  chmodSync(dirname(callers.jwksFile), 0o755);
  engine = findEngine(folder, process.env['POINT_ALARM_ENGINE']);
  if (!engine.pull(wantedBase)) {
    baseImage = `localhost/stand-in-node:${nodeVersion}`;
    engine.importRoot(standInBase(nodeVersion), baseImage);
  }
  engine.build({ folder: projectRoot, baseImage, tag: TAG });
}, 900_000);
afterAll(async () => {
  await callers.remove();
  engine.remove(TAG);
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test('the image runs the API as a user that is not root, on jemalloc, for production', () => {
  const { User, Env, WorkingDir, Cmd } = engine.configOf(TAG);
  expect({ User, WorkingDir, Cmd: Cmd.join(' ') }).toEqual({
    User: '1000:1000',
    WorkingDir: '/app',
    Cmd: scripts['start:api'],
  });
  expect(Env).toEqual(expect.arrayContaining(['NODE_ENV=production', 'LD_PRELOAD=libjemalloc.so.2']));
});

/** What a process of the image finds around it. */
const PROBE = `
const { readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const written = (path) => { try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; } };
console.log(JSON.stringify({
  user: process.getuid() + ':' + process.getgid(),
  folder: process.cwd(),
  node: process.version,
  capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1],
  bounding: /CapBnd:\\s*(\\w+)/.exec(status)[1],
  noNewPrivileges: /NoNewPrivs:\\s*(\\w+)/.exec(status)[1],
  jemalloc: readFileSync('/proc/self/maps', 'utf8').includes('libjemalloc.so.2'),
  root: written('/app/written'),
  temporary: written('/tmp/written'),
}));`;

test('its processes have its user, its allocator, a read-only root and no capability', async () => {
  const probe = startContainer(engine.run({ tag: TAG, command: ['node', '-e', PROBE], environment: {} }));
  expect(await probe.exited, probe.said()).toBe(0);
  const none = '0000000000000000';
  expect(JSON.parse(probe.said())).toEqual({
    user: '1000:1000',
    folder: '/app',
    node: `v${nodeVersion}`,
    capabilities: none,
    bounding: none,
    noNewPrivileges: '1',
    jemalloc: true,
    root: 'EROFS',
    temporary: 'written',
  });
});

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts a process and waits until it is ready; how long that took. */
const started = async (container: RunningContainer, port: number): Promise<number> => {
  const began = performance.now();
  try {
    await eventually(() => isReady(port), Boolean, 60_000);
  } catch (error) {
    throw new Error(`not ready: ${container.said()}`, { cause: error });
  }
  return Math.round(performance.now() - began);
};

test('its API and its worker serve PUT and GET, and end in order at SIGTERM', async () => {
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const shared = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `image-${randomUUID()}`,
    REDIS_URL: inject('redisUrl'),
    EVENT_STREAM: `image-${randomUUID()}`,
  };
  const worker = startContainer(
    engine.run({
      tag: TAG,
      command: scripts['start:worker']?.split(' ') ?? [],
      environment: { ...shared, WORKER_PORT: String(workerPort) },
    }),
  );
  const workerMs = await started(worker, workerPort);
  const own = { PORT: String(apiPort), AUTH_JWKS_FILE: 'config/jwks.json', GRANTS_FILE: 'config/grants.json' };
  const api = startContainer(
    engine.run({ tag: TAG, environment: { ...shared, ...own }, config: dirname(callers.jwksFile) }),
  );
  const apiMs = await started(api, apiPort);

  const nodeId = randomUUID();
  const send = (method: string, path: string, body?: object) =>
    call({ port: apiPort, callers }, { method, path: `/v1/${path}`, ...(body !== undefined && { body }) });
  const threshold = { thresholdType: 2, overall: { unit: 'C', outerHigh: 70, innerHigh: 50 } };
  expect((await send('PUT', `point-alarm-threshold/${nodeId}`, threshold)).status).toBe(204);
  expect(await send('GET', `point-alarm-threshold/${nodeId}`)).toMatchObject({ status: 200, json: threshold });
  expect((await send('PUT', `alarm-status/${nodeId}/status/external`, { status: 3 })).status).toBe(204);
  expect((await send('GET', `alarm-status/${nodeId}`)).status).toBe(200);

  expect([await api.stop(), await worker.stop()], `${api.said()}\n${worker.said()}`).toEqual([0, 0]);
  for (const { said } of [api, worker]) expect(said()).toContain('"msg":"stopped"');
  const [whole, base] = [engine.megabytesOf(TAG), engine.megabytesOf(baseImage)];
  expect(whole - base).toBeGreaterThan(0);
  expect(whole - base).toBeLessThan(350);
  process.stdout.write(
    `image by ${engine.name}: ${whole} MB, ${whole - base} MB on ${baseImage}; ` +
      `ready after ${apiMs} ms (API), ${workerMs} ms (worker)\n`,
  );
}, 240_000);
