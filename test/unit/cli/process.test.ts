import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { folderWith, runHere } from '../../support/run-program';
import { dataPoint, overall } from '../../support/measurements';
import { anId } from '../../support/scenario';

// `pas` as a process of its own. Processes start slowly beside other tests; only the time from the signal counts.
vi.setConfig({ testTimeout: 60_000 });

const node = anId(1);
const files = { 't.json': JSON.stringify(overall), 'm.json': JSON.stringify(dataPoint(1)) };
/** It says when it listens to signals, from when on they end the command and not Node. */
const announced = `data:text/javascript,process.on('newListener', (n) => n === 'SIGTERM' && process.stderr.write('LISTENS\\n'))`;
const program = ['--import', announced, '--import', join(projectRoot, 'node_modules/tsx/dist/loader.mjs'), join(projectRoot, 'cli/main.ts')];

const start = (args: ReadonlyArray<string>, folder: string, env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [...program, ...args], { cwd: folder, env: { PATH: process.env['PATH'], ...env } });
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
  ])('%s by %s', async (args, signal, code) => {
    const folder = folderWith(files);
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    const server = await silentServer();
    const env = { TEMPORAL_ADDRESS: server, REDIS_URL: `redis://${server}` };
    const { child, ended, err } = start(args.replace('SERVER', server).split(' '), folder, env);
    await vi.waitUntil(() => err().includes('LISTENS'), { timeout: 50_000 });
    await new Promise((resolve) => setTimeout(resolve, 300)); // what it waits for has begun
    const began = performance.now();
    child.kill(signal);
    const end = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 6_000, 'it runs on'))]);
    expect(end).toMatchObject({ code, signal: null });
    expect(performance.now() - began).toBeLessThan(2_500); // on a busy machine
  });
});

test('a closed standard output keeps the exit code', async () => {
  const folder = folderWith({ 'bad.ndjson': '{"nodeId":"x"}\n{"nodeId":"y"}\n' });
  const { child, ended } = start(['import', 'bad.ndjson', '--dry-run'], folder);
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 1 });
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
