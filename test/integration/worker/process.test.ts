import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { projectRoot } from '../../../dev/stack/project-root';
import { entries } from '../../../dev/stack/service';
import { startPlainTemporal } from '../../support/plain-temporal';
import { runNode, type RunningProcess } from '../../support/run-node';
import { eventually } from '../workflows/nodes';

/** Its deadline for stopping is 10 s. A worker with nothing to wait for takes a part of it, also on a busy machine. */
const PROMPTLY_MS = 7_000;

const settings = (port: number, temporalAddress: string) => ({
  PATH: process.env['PATH'],
  HOME: '/nowhere',
  WORKER_PORT: String(port),
  TEMPORAL_ADDRESS: temporalAddress,
  TEMPORAL_TASK_QUEUE: randomUUID(),
  REDIS_URL: inject('redisUrl'),
});

const statusAt = (port: number, path: string): Promise<number> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status,
    () => 0,
  );
const answers = (port: number, path: string, status: number) =>
  eventually(
    () => statusAt(port, path),
    (answer) => answer === status,
    60_000,
  );

const start = async (temporalAddress: string): Promise<RunningProcess & { readonly port: number }> => {
  const port = await freePort();
  const worker = runNode(entries.worker, settings(port, temporalAddress));
  onTestFinished(worker.stop);
  return { ...worker, port };
};

/** Stops a worker by `signals`, and expects that it ends in order. */
const stopped = async ({ signal, exited, logged }: RunningProcess, ...signals: ReadonlyArray<NodeJS.Signals>) => {
  const began = performance.now();
  signals.forEach(signal);
  expect(await exited).toBe(0);
  expect(performance.now() - began).toBeLessThan(PROMPTLY_MS);
  expect(logged().map(({ msg }) => msg)).toContain('stopped');
};

describe('a worker process ends in order, and soon,', () => {
  test('where it runs, and was asked to twice', async () => {
    const worker = await start(inject('temporalAddress'));
    await answers(worker.port, '/readyz', 200);
    await stopped(worker, 'SIGTERM', 'SIGINT');
  });

  test('where Temporal was never there', async () => {
    const worker = await start(`127.0.0.1:${await freePort()}`);
    await answers(worker.port, '/readyz', 503);
    await stopped(worker, 'SIGTERM');
  });

  test('where Temporal takes its connection and answers nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const connected = once(silent, 'connection');
    const worker = await start(`127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await connected;
    await answers(worker.port, '/readyz', 503);
    await stopped(worker, 'SIGTERM');
  });

  test.each([
    ['ended', 'kill'],
    ['went silent', 'freeze'],
  ] as const)('where Temporal %s six seconds before', async (_, how) => {
    const temporal = await startPlainTemporal();
    onTestFinished(() => temporal.stop());
    const worker = await start(temporal.address);
    await answers(worker.port, '/readyz', 200);
    await temporal[how]();
    await sleep(6_000);
    await stopped(worker, 'SIGTERM');
  });
});

test('a worker whose standard output is full serves, and ends in order', async () => {
  const port = await freePort();
  const worker = spawn(process.execPath, entries.worker, {
    cwd: projectRoot,
    env: settings(port, inject('temporalAddress')),
    stdio: ['ignore', openSync('/dev/full', 'w'), 'inherit'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const exited = once(worker, 'close');
  await answers(port, '/readyz', 200);
  worker.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('a worker whose port for the metrics of the SDK was taken in between takes another one', async () => {
  const child = runNode(['--import', 'tsx', join(__dirname, 'taken-port-child.ts')], process.env);
  onTestFinished(child.stop);
  expect(await child.exited).toBe(0);
  expect(child.out()).toBe('served\n');
});
