import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createColors } from 'picocolors';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runProgram } from '../../../cli/program';
import { cliSettings } from '../../../process/settings';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderWith, runHere } from '../../support/run-program';
import { rightOf } from '../../support/either';
import { dataPoint, overall } from '../../support/measurements';
import { anId } from '../../support/scenario';

// `pas` as a process of its own. Processes start slowly beside other tests; only the time from the signal counts.
vi.setConfig({ testTimeout: 60_000 });

const node = anId(1);
const files = { 't.json': JSON.stringify(overall), 'm.json': JSON.stringify(dataPoint(1)) };
/** It says when it listens to signals, from when on they end the command and not Node. */
const announced = `data:text/javascript,process.on('newListener', (n) => n === 'SIGTERM' && process.stderr.write('LISTENS\\n'))`;
const program = [
  '--import',
  announced,
  '--import',
  join(projectRoot, 'node_modules/tsx/dist/loader.mjs'),
  join(projectRoot, 'cli/main.ts'),
];

const start = (args: ReadonlyArray<string>, folder: string, env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode, err }));
  return { child, ended, err: () => err };
};

/** A server that takes connections and never says a word. */
const silentServer = async (): Promise<string> => {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
};

describe('a signal ends a command within a second', () => {
  test.each<[args: string, signal: NodeJS.Signals, code: number]>([
    ['import -', 'SIGTERM', 130],
    [`set ${node} -f -`, 'SIGINT', 130],
    ['rate --threshold t.json --measurement -', 'SIGINT', 130],
    ['rate --threshold t.json --measurement pipe', 'SIGTERM', 130],
    [`explain ${node}`, 'SIGINT', 130],
    [`republish ${node}`, 'SIGTERM', 130],
    [`forward postgres --url postgres://SERVER/plant`, 'SIGTERM', 0],
    [`journal report --url postgres://SERVER/plant --month 2025-10`, 'SIGINT', 130],
    [`ack ${node} --url http://SERVER --for 4h --by mary --comment x`, 'SIGINT', 130],
    [`journal acknowledgements --url postgres://SERVER/plant --alertmanager http://SERVER`, 'SIGTERM', 130],
  ])('%s by %s', async (args, signal, code) => {
    const folder = folderWith(files);
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    const server = await silentServer();
    const env = { TEMPORAL_ADDRESS: server, REDIS_URL: `redis://${server}` };
    const { child, ended, err } = start(args.replaceAll('SERVER', server).split(' '), folder, env);
    await vi.waitUntil(() => err().includes('LISTENS'), { timeout: 50_000 });
    await new Promise((resolve) => setTimeout(resolve, 300)); // what it waits for has begun
    const began = performance.now();
    child.kill(signal);
    const end = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 6_000, 'it runs on'))]);
    expect(end).toMatchObject({ code, signal: null });
    expect(performance.now() - began).toBeLessThan(2_500); // on a busy machine
  });
});

test('a second Ctrl-C in top, which ends the process at once, leaves the terminal as it was', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [written, stopping]: [string[], AbortController] = [[], new AbortController()];
  const atExit = (): ReadonlyArray<unknown> => process.listeners('exit');
  const before = atExit();
  const code = runProgram(
    ['top', '--nodes-from', 'nodes.txt'],
    () => ({
      settings: rightOf(cliSettings({ POINT_ALARM_URL: `http://127.0.0.1:${port}` })),
      ...{ temporal: () => expect.unreachable(), print: () => undefined, report: () => undefined },
      ...{ screen: { size: () => ({ rows: 9, columns: 80 }), write: (text: string) => void written.push(text) } },
      ...{ reportScreen: undefined, colors: createColors(false), interrupted: stopping.signal },
      ...{ outputClosed: new AbortController().signal, folder: folderWith({ 'nodes.txt': node }) },
    }),
    () => undefined,
  );
  expect(written.join('')).toContain('?1049h');
  const added = atExit().filter((listener) => !before.includes(listener));
  (added as ReadonlyArray<() => void>).forEach((end) => end());
  expect(written.join('')).toMatch(/\?1049l$/u);
  stopping.abort();
  expect(await code).toBe(0);
  expect(atExit()).toEqual(before);
});

test('a closed standard output keeps the exit code', async () => {
  const folder = folderWith({ 'bad.ndjson': '{"nodeId":"x"}\n{"nodeId":"y"}\n' });
  const { child, ended } = start(['import', 'bad.ndjson', '--dry-run'], folder);
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 1 });
});

describe('a relative path of a setting is read from where the setting was written', () => {
  const explained = async (env: Readonly<Record<string, string>>, here: Readonly<Record<string, string>> = {}) => {
    const { ended } = start(['watch'], folderWith(here), { REDIS_URL: 'rediss://127.0.0.1:1', ...env });
    return (await ended).err;
  };
  const noCertificate = /REDIS_TLS_SERVER_CA_CERT_PATH.*certificate/u;

  test('that of the environment of a service from the folder of the service', async () => {
    expect(await explained({ REDIS_TLS_SERVER_CA_CERT_PATH: 'deploy/config/README.md' })).toMatch(noCertificate);
    expect(await explained({ REDIS_TLS_SERVER_CA_CERT_PATH: 'nowhere.pem' })).toContain('ENOENT');
  });

  test('that of a shell, or of `.env`, from the current folder', async () => {
    expect(await explained({ REDIS_TLS_SERVER_CA_CERT_PATH: 'ca.pem' }, { 'ca.pem': 'x' })).toMatch(noCertificate);
    const here = { 'ca.pem': 'x', '.env': 'REDIS_TLS_SERVER_CA_CERT_PATH=ca.pem\n' };
    expect(await explained({}, here)).toMatch(noCertificate);
  });
});

/** Another user, as whom root can run this Node, unless it lies in a folder of its own. */
const nobody = { uid: 65_534, gid: 65_534 };
const mayBeNobody = spawnSync(process.execPath, ['--version'], nobody).status === 0;

/** What `npm run -s pas` of a clone runs. */
const viaBootstrap = (clone: string, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [join(clone, 'dev/stack/commands/bootstrap.mjs'), 'pas', ...args], {
    cwd: clone,
    encoding: 'utf8',
    ...(mayBeNobody && nobody),
  });

describe('npm run pas', () => {
  const clone = (more: Readonly<Record<string, string>>): string => {
    const folder = folderWith({ 'package.json': '{}', 'package-lock.json': '{"packages":{}}' });
    for (const name of ['dev/stack/commands', 'dist/cli', 'node_modules'])
      mkdirSync(join(folder, name), { recursive: true });
    cpSync(join(projectRoot, 'dev/stack/commands/bootstrap.mjs'), join(folder, 'dev/stack/commands/bootstrap.mjs'));
    cpSync(join(projectRoot, 'process/pid-lock.cjs'), join(folder, 'process/pid-lock.cjs'));
    for (const [name, text] of Object.entries(more)) writeFileSync(join(folder, name), text);
    chmodSync(folder, 0o755);
    return folder;
  };

  test('runs what was built, whatever the sources are now, as any user, and writes nothing', () => {
    const folder = clone({ 'dist/cli/main.js': 'console.log(process.argv.slice(2).join())' });
    const before = readdirSync(folder, { recursive: true });
    expect(viaBootstrap(folder, 'get', 'x')).toMatchObject({ status: 0, stdout: 'get,x\n', stderr: '' });
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  test('says so where nothing was built', () => {
    const stderr = 'pas is not built yet: npm ci && npm run build\n';
    expect(viaBootstrap(clone({}), 'get', 'x')).toMatchObject({ status: 1, stdout: '', stderr });
  });
});

test('indented JSON may begin with a blank line, and a fault is found in its line', async () => {
  const indented = `\n${JSON.stringify(dataPoint(1), undefined, 2)}`;
  const folder = folderWith({ ...files, 'm.json': indented, 'bad.json': `${indented.slice(0, -1)},` });
  const rated = (file: string) => runHere(folder, 'rate', '--threshold', 't.json', '--measurement', file);
  expect(await rated('m.json')).toMatchObject({ code: 0, err: [] });
  const lines = indented.split('\n').length;
  const { err } = await rated('bad.json');
  expect(err).toEqual([expect.stringMatching(new RegExp(`^bad\\.json, line ${lines} is not JSON`, 'u'))]);
});

test('the back test of 150,000 measurements in alarm fits the stack', async () => {
  const lines = Array.from({ length: 150_000 }, (_, at) => {
    const createdAt = new Date(1_769_853_600_000 + at * 1_000).toISOString();
    return JSON.stringify({ ...dataPoint(at % 2 === 0 ? 10 : 25), createdAt });
  });
  const folder = folderWith({ ...files, 'm.ndjson': lines.join('\n') });
  const { code, err } = await runHere(folder, 'rate', '--threshold', 't.json', '--measurement', 'm.ndjson');
  expect(err.filter((line) => !line.includes('measurements rated'))).toEqual([]);
  expect(code).toBe(0);
});
