import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { describe, expect, test, vi } from 'vitest';
import { createProgram } from '../../../cli/program';
import { projectRoot } from '../../../dev/stack/project-root';
import { startAnsweringServer, type Answer } from '../../support/answering-server';
import { forFile } from '../../support/for-file';
import { folderWith, runWith } from '../../support/run-program';
import { dataPoint, overall } from '../../support/measurements';
import { anId } from '../../support/scenario';

// Processes start slowly beside other tests; the time that they take says nothing.
vi.setConfig({ testTimeout: 60_000 });

/** It takes every threshold, and refuses everything else. */
const answer: Answer = ({ url = '', method }, response) =>
  url.startsWith('/v1/point-alarm-threshold/') && method === 'PUT'
    ? response.writeHead(204).end()
    : response.writeHead(400, { 'Content-Type': 'application/problem+json' }).end('{"status":400,"title":"No"}');
const api = forFile(
  () => startAnsweringServer(answer),
  ({ close }) => close(),
);

const node = anId(1);
const good = {
  'good.csv': `node,thresholdType,outerHigh\n${node},2,70\n${anId(2)},2,7\n`,
  'bad.ndjson': `{"nodeId":"${node}","colour":1}\n`,
  't.json': JSON.stringify(overall),
  'm.json': JSON.stringify(dataPoint(1)),
};

/** Commands with FILE where they read a file. */
const reading: ReadonlyArray<string> = [
  `set ${node} -f FILE`,
  `patch ${node} -f FILE`,
  `measure ${node} -f FILE`,
  'import FILE --format csv',
  'import FILE --format ndjson',
  'import good.csv --journal FILE',
  'export --nodes-from FILE',
  'top --once --nodes-from FILE',
  'republish --nodes-from FILE',
  `republish ${node} --journal FILE`,
  'rate --threshold FILE --measurement m.json',
  'rate --threshold t.json --measurement FILE',
  'rate --threshold t.json --measurement m.json --bearings FILE',
  'forward alertmanager --url URL --hierarchy FILE',
  'journal report --url postgres://127.0.0.1:1/plant --month 2026-10 --hierarchy FILE',
];
/** Commands with FILE where they write a file. */
const writing: ReadonlyArray<string> = [
  'import good.csv --journal FILE',
  'import good.csv --again --journal FILE',
  'import bad.ndjson --report FILE',
  `republish ${node} --journal FILE`,
  `republish ${node} --again --journal FILE`,
  'rate --threshold spectrum-t.json --measurement spectrum.json --svg FILE',
];
/** Commands that have to do with no file. */
const without: ReadonlyArray<string> = [
  `get ${node}`,
  `status ${node}`,
  `external ${node} ALERT`,
  `explain ${node}`,
  'watch --count 1',
  'forward postgres --url postgres://127.0.0.1:1/plant',
  'journal report --url postgres://127.0.0.1:1/plant --month 2025-10',
  'journal acknowledgements --url postgres://127.0.0.1:1/plant --alertmanager http://127.0.0.1:1',
  'ack --list --url http://127.0.0.1:1',
];

test('every command is here', () => {
  const leaves = (command: Command): ReadonlyArray<string> =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.flatMap(leaves).map((name) => (command.parent === null ? name : `${command.name()} ${name}`));
  const here = [...reading, ...writing, ...without].map((line) => /^(?:forward |journal )?\S+/u.exec(line)?.[0]);
  expect(new Set(here)).toEqual(new Set(leaves(createProgram(async () => undefined))));
});

const run = (folder: string, line: string, file: string) =>
  runWith(
    { POINT_ALARM_URL: api.url, REDIS_URL: 'redis://127.0.0.1:1' },
    folder,
    ...line.split(' ').map((word) => (word === 'FILE' ? file : word === 'URL' ? api.url : word)),
  );

/** What a user may see: whole lines without a stack. */
const expectLines = (lines: ReadonlyArray<string>): void => {
  for (const line of lines) expect(line).not.toMatch(/\n|^\s+at |\bnode:internal\b|unexpected/u);
};

/** Lines of JSON that no file of ours has. */
const plain = ['null', '1', 'true', '""', '[]', '[null]', '{}', '[{}]', '{"__proto__":1}'];
const objects = ['{"import":7}', '{"import":"x"}', '{"overall":[]}', '{"halAlarms":{"length":1}}'];
const lists = ['{"nodes":null}', '{"nodes":[null]}', '{"nodes":{}}'];

describe.each(reading)('pas %s', (line) => {
  test.each<[name: string, file: string]>([
    ['that is a folder', 'folder'],
    ['that is not there', 'none'],
    ['below a file', 'm.json/x'],
    ['that cannot be read', '/proc/self/mem'],
    ['whose name is too long', 'x'.repeat(300)],
    ['that never ends', '/dev/zero'],
  ])('refuses a file %s, in one line', async (_name, file) => {
    if (line.includes('--journal') && file === 'none') return; // it is begun
    const folder = folderWith(good);
    mkdirSync(join(folder, 'folder'));
    const { code, err } = await run(folder, line, file);
    expect(err).toHaveLength(1);
    expect(err[0]).toMatch(new RegExp(`${file} cannot be (?:read|written): `, 'u'));
    expect(code).toBe(2);
    expectLines(err);
  });

  test.each<[name: string, content: string | Uint8Array]>([
    ['nothing', ''],
    ['blanks', ' \n\t\n '],
    ['a byte order mark', '\uFEFF'],
    ['bytes that are no text', Uint8Array.from({ length: 4_096 }, (_, at) => (at * 193) % 256)],
    ['half a letter of UTF-8', Buffer.from([0x7b, 0xc3])],
    ['NULs', '\0'.repeat(10_000)],
    ['a line of 5 MB', 'x'.repeat(5_000_000)],
    ['a quoted line of 5 MB', `"${'x'.repeat(5_000_000)}"`],
    ['deep JSON', '['.repeat(100_000)],
    ['deep JSON that ends', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a quotation mark', '"'],
    ...[...plain, ...objects, ...lists].map((shape): [string, string] => [shape, `${shape}\n`]),
  ])('with %s says in lines what is wrong', async (_name, content) => {
    const folder = folderWith({ ...good, file: content });
    const { code, out, err } = await run(folder, line, 'file');
    expect([0, 1, 2]).toContain(code);
    if (code !== 0) expect(out.length + err.length).toBeGreaterThan(0);
    if (!line.includes('republish')) expectLines([...out, ...err]); // it asks for Temporal, which is not there
  });
});

describe.each(writing)('pas %s', (line) => {
  test.each<[name: string, file: string]>([
    ['that is a folder', 'folder'],
    ['in a folder that is not there', 'none/x'],
    ['below a file', 'm.json/x'],
    ['in a folder that takes no files', '/proc/x'],
    ['whose name is too long', 'x'.repeat(300)],
  ])('refuses a file %s, in one line', async (_name, file) => {
    const examples = join(projectRoot, 'docs/examples');
    const folder = folderWith({
      ...good,
      'spectrum-t.json': readFileSync(join(examples, 'outer-race-threshold.json')),
      'spectrum.json': readFileSync(join(examples, 'outer-race.json')),
    });
    mkdirSync(join(folder, 'folder'));
    const { code, err } = await run(folder, line, file);
    expect(err).toContainEqual(expect.stringMatching(new RegExp(`^\\S*${file} cannot be (?:written|read): `, 'u')));
    expect(code).toBe(2);
    expectLines(err);
  });
});

test.each([
  ['the table itself as its journal', '--again --journal good.csv', 'good.csv'],
  ['the table itself as its report', '--report good.csv', 'good.csv'],
  ['its journal as its report', '--report good.csv.journal', 'good.csv'],
  ['another file as its journal', '--again --journal t.json', 't.json'],
])('import does not take %s', async (_name, options, file) => {
  const folder = folderWith(good);
  const { code, err } = await run(folder, `import good.csv ${options}`, '');
  expect({ code, lines: err.length }).toEqual({ code: 2, lines: 1 });
  expect(readFileSync(join(folder, file), 'utf8')).toBe(good[file as keyof typeof good]);
});

test.each<[name: string, svg: string]>([
  ['its threshold', 't.json'],
  ['its measurement, by another name', './x/../m.json'],
  ['its bearings, by a link', 'link'],
])('rate --svg does not overwrite %s', async (_name, svg) => {
  const files = { ...good, 'bearings.json': '{"bearings":[]}' };
  const folder = folderWith(files);
  symlinkSync('bearings.json', join(folder, 'link'));
  const line = 'rate --threshold t.json --measurement m.json --bearings bearings.json --svg FILE';
  const err = [expect.stringMatching(/^--svg \S+ would overwrite \S+\.json, which is read$/u)];
  expect(await run(folder, line, svg)).toEqual({ code: 2, out: [], err });
  for (const [name, content] of Object.entries(files)) expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
});

test.each(['republish', 'republish --all --status GOOD'])('%s chooses no nodes, or in two ways', async (line) => {
  const err = ['choose nodes in one way: by id or --nodes-from, by --all, or by --status'];
  expect(await run(folderWith({}), line, '')).toEqual({ code: 2, out: [], err });
});

test('a command that fails as nobody expected says so in one line', async () => {
  const err = ['pas failed unexpectedly: no server is to be asked'];
  expect(await run(folderWith({}), `explain ${node}`, '')).toEqual({ code: 1, out: [], err });
});

describe('the process', () => {
  /** Runs the built `pas` by a shell that does `before` first. */
  const shell = async (folder: string, before: string, line: string, after = '') => {
    const child = spawn('bash', ['-c', `${before} exec "$0" "$@" ${after}`, process.execPath, ...argumentsOf(line)], {
      cwd: folder,
      env: { PATH: process.env['PATH'], POINT_ALARM_URL: api.url, REDIS_URL: 'redis://127.0.0.1:1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, out, err };
  };
  const argumentsOf = (line: string): ReadonlyArray<string> => [
    join(projectRoot, 'dist/cli/main.js'),
    ...line.replaceAll('URL', api.url).split(' '),
  ];

  test('settings in a folder are refused, whatever the command', async () => {
    const folder = folderWith(good);
    mkdirSync(join(folder, '.env'));
    const err = expect.stringMatching(/^\.env cannot be read: .*\n$/u);
    expect(await shell(folder, '', `get ${node}`)).toEqual({ code: 2, out: '', err });
  });

  test('an import whose disk is full from the beginning sends nothing', async () => {
    const folder = folderWith(good);
    const err = expect.stringMatching(/^\S+good\.csv\.journal cannot be written: EFBIG.*\n$/u);
    expect(await shell(folder, 'ulimit -f 0;', 'import good.csv')).toEqual({ code: 2, out: '', err });
  });

  test('an import whose disk becomes full stops, says how far it came, and goes on from there', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => `${anId(at)},2,${at}`);
    const folder = folderWith({ 'many.csv': ['node,thresholdType,outerHigh', ...rows, ''].join('\n') });
    const first = await shell(folder, 'ulimit -f 8;', 'import many.csv');
    const set = Number(/^(\d+) set, 0 set before, 0 failed, \d+ left\n$/u.exec(first.out)?.[1]);
    expect(set).toBeGreaterThan(10);
    const stopped = /^\S+many\.csv\.journal cannot be written: EFBIG.*\nstopped early; .* goes on from here\n$/u;
    expect(first).toMatchObject({ code: 2, err: expect.stringMatching(stopped) });
    const { code, out } = await shell(folder, '', 'import many.csv');
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d+ set, \d+ set before, 0 failed\n$/u)]);
  });

  test('an import whose report has no room stops in the same way', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`member${at}`, at]));
    const folder = folderWith({ 'bad.ndjson': `${JSON.stringify({ nodeId: node, ...unknown })}\n` });
    writeFileSync(join(folder, 'bad.ndjson.journal'), '{"import":"x"}\n');
    expect(await shell(folder, 'ulimit -f 1;', 'import bad.ndjson')).toEqual({
      code: 2,
      out: '0 set, 0 set before, 0 failed, 1 left\n',
      err: expect.stringMatching(/^\S+bad\.ndjson\.failed\.ndjson cannot be written: EFBIG.*\nstopped early; .*\n$/u),
    });
  });

  test.skipIf(!existsSync('/dev/full'))('output that has no room is no success', async () => {
    const rated = await shell(folderWith(good), '', 'rate --threshold t.json --measurement m.json', '> /dev/full');
    expect(rated).toMatchObject({ code: 1, err: expect.stringMatching(/^the output cannot be written: ENOSPC.*\n$/u) });
  });
});

test('a list of nodes is read as a spreadsheet saves it', async () => {
  const folder = folderWith({ 'nodes.txt': Buffer.from(`\uFEFF{${node.toUpperCase()}}\r\n`, 'utf16le') });
  const { code, err } = await run(folder, 'export --nodes-from FILE', 'nodes.txt');
  expect([code, err]).toEqual([1, [expect.stringMatching(/\(400\)$/u)]]); // of the API, which was asked
});
