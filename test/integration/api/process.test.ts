import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { projectRoot } from '../../../dev/stack/project-root';
import { entries } from '../../../dev/stack/service';
import { exchange } from '../../support/api/call';
import { ADMIN, createCallers, POINT } from '../../support/api/callers';
import { expectProblem } from '../../support/api/expect-problem';
import { runNode, type RunningProcess } from '../../support/run-node';
import { forFile } from '../../support/for-file';

const callers = forFile(createCallers, ({ remove }) => remove());

/** Starts the API process with just these settings. */
const run = (env: Readonly<Record<string, string>>): RunningProcess => {
  const api = runNode(entries.api, { PATH: process.env['PATH'], HOME: '/nowhere', ...env });
  onTestFinished(api.stop);
  return api;
};

const settings = (port: number, more: Readonly<Record<string, string>> = {}) => ({
  PORT: String(port),
  AUTH_JWKS_FILE: callers.jwksFile,
  GRANTS_FILE: callers.grantsFile,
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  REDIS_URL: inject('redisUrl'),
  ...more,
});

const get = (port: number, path: string) => exchange({ port }, 'GET', path, {});
const listening = (port: number) =>
  expect.poll(() => get(port, '/healthz').catch(() => undefined), { timeout: 30_000 }).toMatchObject({ status: 200 });

test('an API whose standard output is full serves, and ends in order', async () => {
  const port = await freePort();
  const api = spawn(process.execPath, entries.api, {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], HOME: '/nowhere', ...settings(port) },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'inherit'],
  });
  onTestFinished(() => void api.kill('SIGKILL'));
  const exited = once(api, 'close');
  await listening(port);
  expect(await get(port, '/v1/alarm-status/x')).toMatchObject({ status: 401 });
  api.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('an API whose log nobody reads serves', async () => {
  const port = await freePort();
  const api = spawn(process.execPath, entries.api, {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], HOME: '/nowhere', ...settings(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void api.kill('SIGKILL'));
  await listening(port);
  for (let calls = 0; calls < 1_500; calls += 1) expect(await get(port, '/nothing')).toMatchObject({ status: 404 });
  expect(await get(port, '/healthz')).toMatchObject({ status: 200 });
});

describe('the API process', () => {
  test('tells the faults of its files with those of its settings, at once, and ends with code 2', async () => {
    const files = {
      AUTH_JWKS_FILE: '/nowhere/keys',
      HIERARCHY_FILE: callers.grantsFile,
      BEARINGS_FILE: '/nowhere/own',
    };
    const ofFiles = [
      /^ {2}- AUTH_JWKS_FILE \/nowhere\/keys is not there$/mu,
      /^ {2}- HIERARCHY_FILE .+ is not valid: /mu,
      /^ {2}- GRANTS_FILE \/nowhere\/grants is not there$/mu,
      /^ {2}- BEARINGS_FILE \/nowhere\/own is not there$/mu,
    ];
    const alone = run(settings(0, { ...files, GRANTS_FILE: '/nowhere/grants' }));
    const beside = run(settings(0, { ...files, GRANTS_FILE: '/nowhere/grants', PORT: 'x', MAX_BANDS: '101' }));
    expect([await alone.exited, await beside.exited]).toEqual([2, 2]);
    expect([alone.out(), beside.out()]).toEqual(['', '']);
    for (const fault of ofFiles) expect(alone.err()).toMatch(fault);
    expect(alone.err()).not.toMatch(/\n\s+at /u);
    for (const fault of [/- PORT must be/u, /- MAX_BANDS must be/u, ...ofFiles]) expect(beside.err()).toMatch(fault);
  });

  test('whose port is taken says so in one line and ends with code 1', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { err, exited } = run(settings(port));
    expect(await exited).toBe(1);
    expect(err()).toBe(`The API cannot listen on 127.0.0.1:${port}: the port is taken\n`);
  });

  test('starts while Temporal and Redis are unavailable, and says that it is not ready', async () => {
    const [port, nothing] = [await freePort(), await freePort()];
    run(settings(port, { TEMPORAL_ADDRESS: `127.0.0.1:${nothing}`, REDIS_URL: `redis://127.0.0.1:${nothing}` }));
    await listening(port);
    const problem = expectProblem(await get(port, '/readyz'), { status: 503, type: 'unavailable' });
    expect(problem.dependencies).toEqual(['Temporal', 'Redis']);
  });

  test('is ready with both, tells where it listens, and ends in order: what was begun gets its answer', async () => {
    const port = await freePort();
    const { out, err, exited, signal } = run(settings(port));
    await listening(port);
    await expect.poll(() => get(port, '/readyz'), { timeout: 10_000 }).toMatchObject({ status: 200 });
    expect(out()).toMatch(new RegExp(`"port":${port},"msg":"listening"`, 'u'));
    expect((await get(port, '/metrics')).text).toContain('process_cpu_user_seconds_total');

    const idle = connect(port, '127.0.0.1');
    const begun = connect(port, '127.0.0.1');
    await Promise.all([once(idle, 'connect'), once(begun, 'connect')]);
    const head = [
      `PUT /v1/alarm-status/${POINT} HTTP/1.1`,
      'Host: x',
      `Authorization: ${await callers.token(ADMIN)}`,
      'Content-Type: application/json',
      'Content-Length: 4',
    ];
    begun.write(`${head.join('\r\n')}\r\n\r\nnu`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const began = Date.now();
    signal('SIGTERM');
    await expect.poll(() => get(port, '/healthz').catch(() => 'refused'), { timeout: 5_000 }).toBe('refused');
    begun.write('ll');
    const [answer] = (await once(begun, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400[^]*\r\nConnection: close\r\n/u);
    expect(await exited).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(err()).toBe('');
    idle.destroy();
  });
});
