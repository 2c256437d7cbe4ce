import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testPort } from '../../../dev/stack/free-ports';
import { dataPoint } from '../../support/measurements';
import { anId } from '../../support/scenario';
import { folderOfFile } from '../../support/temporary-folder';
import { copyProject, npmStart, type Checkout, type Started } from '../checkout';
import { runPas, startPas, type Ended, type PasPlan } from './run-pas';

let checkout: Checkout;
let started: Started;
let plan: PasPlan;
const folder = folderOfFile();
beforeAll(async () => {
  checkout = copyProject(true);
  const ports = { PORT: String(testPort()), WORKER_PORT: String(testPort()) };
  started = await npmStart(checkout.folder, ports);
  plan = { checkout: checkout.folder, folder, env: settings(token()) };
});
afterAll(async () => {
  await started.interrupt();
  checkout.remove();
});

const token = (): string =>
  execFileSync('npm', ['run', '-s', 'token'], { cwd: checkout.folder, encoding: 'utf8' }).trim();
const settings = (shown?: string): Record<string, string> => ({
  POINT_ALARM_URL: started.api,
  REDIS_URL: `redis://127.0.0.1:${started.redisPort}`,
  ...(shown !== undefined && { POINT_ALARM_TOKEN: shown }),
});
const pas = (...args: ReadonlyArray<string>): Promise<Ended> => runPas(plan, args);
const fileOf = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return name;
};
const linesOf = (name: string): ReadonlyArray<string> =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1) : [];

/** How often the stream tells that each node's threshold was set. */
const timesSet = async (): Promise<ReadonlyMap<string, number>> => {
  const redis = createClient({ url: settings()['REDIS_URL']! });
  await redis.connect();
  const entries = (await redis.xRange('point-alarm-events', '-', '+')) ?? [];
  redis.destroy();
  const times = new Map<string, number>();
  for (const { message } of entries) {
    const { type, aggregateId = '' } = message as Record<string, string>;
    if (type === 'SetPointAlarmThresholdEvent') times.set(aggregateId, (times.get(aggregateId) ?? 0) + 1);
  }
  return times;
};

const danger = dataPoint(99);

const COUNT = 500;
const node = (n: number): string => anId(100_000 + n);
const rows = Array.from({ length: COUNT }, (_, n) => `${node(n)},2,${n},${n + 10},C`);

test('import of 500 thresholds, killed in the middle and started again, sets each of them once', async () => {
  fileOf('many.csv', ['node,thresholdType,innerLow,innerHigh,unit', ...rows, ''].join('\n'));
  const first = startPas(plan, ['import', 'many.csv']);
  const done = () => linesOf('many.csv.journal').filter((line) => line.includes('"key"') && !line.includes('"sent"'));
  await vi.waitUntil(() => done().length > COUNT / 3, 200_000);
  await first.stop();
  await first.ended;
  const before = done().length;
  expect(before).toBeLessThan(COUNT - 50);

  const second = await pas('import', 'many.csv');
  expect(second).toMatchObject({ code: 0, out: `${COUNT - before} set, ${before} set before, 0 failed\n` });
  const nodes = rows.map((_, n) => node(n));
  const count = (times: ReadonlyMap<string, number>) => nodes.filter((id) => times.get(id) === 1).length;
  await vi.waitUntil(async () => count(await timesSet()) === COUNT, 30_000);

  expect(await pas('import', 'many.csv')).toMatchObject({ code: 0, out: `0 set, ${COUNT} set before, 0 failed\n` });
  expect(count(await timesSet())).toBe(COUNT);
});

test('export prints, by batches, what import takes, and says which nodes hold more than CSV has columns for', async () => {
  const [one, two, untouched] = [anId(21), anId(22), anId(23)];
  const overall = { unit: 'mm/s, "rms"', outerHigh: 7.1, innerHigh: 4.5 };
  const thresholds = [
    { nodeId: one, thresholdType: 2, overall },
    { nodeId: two, bandAlarms: [{ label: 'low' }] },
  ];
  const lines = thresholds.map((threshold) => `${JSON.stringify(threshold)}\n`).join('');
  await runPas(plan, ['import', '-'], lines);
  fileOf('nodes.txt', `# two presses\n${one}\n\n${two.toUpperCase()}\n`);
  const exporting = ['export', untouched, '--nodes-from', 'nodes.txt', '--chunk', '2'];
  const all = `{"nodeId":"${untouched}","thresholdType":0}\n${lines}`;
  expect(await pas(...exporting)).toEqual({ code: 0, out: all, err: '' });
  const csv = await pas(...exporting, '--format', 'csv');
  const err = `${two}: holds more than CSV has columns for: export it as ndjson\n`;
  expect(csv).toEqual({ code: 1, out: expect.stringMatching(/^node,(.*\n){3}$/u), err });
});

describe('single calls', () => {
  const nodeId = anId(31);

  test('set, get, patch, measure, external and status do what they say', async () => {
    const threshold = { nodeId, thresholdType: 2, overall: { unit: 'C', outerHigh: 70, innerHigh: 50 } };
    fileOf('threshold.json', JSON.stringify(threshold));
    fileOf('patch.json', JSON.stringify([{ op: 'replace', path: '/overall/innerHigh', value: 60 }]));
    fileOf('measurement.json', JSON.stringify(danger));
    expect(await pas('set', nodeId, '-f', 'threshold.json')).toEqual({ code: 0, out: '', err: '' });
    expect(JSON.parse((await pas('get', nodeId)).out)).toEqual(threshold);
    const patched = { ...threshold, overall: { ...threshold.overall, innerHigh: 60 } };
    expect(JSON.parse((await pas('patch', nodeId, '-f', 'patch.json')).out)).toEqual(patched);
    expect(await pas('measure', nodeId, '-f', 'measurement.json')).toEqual({ code: 0, out: '', err: '' });
    expect(await pas('external', nodeId, 'alert', '--by', anId(2))).toEqual({ code: 0, out: '', err: '' });
    const { out } = await pas('status', nodeId, anId(32));
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^NODE {34}STATUS +UPDATED +PARTS$/u),
      expect.stringMatching(new RegExp(`^${nodeId} {2}DANGER +\\S+Z {2}overall DANGER, external ALERT$`, 'u')),
      expect.stringMatching(new RegExp(`^${anId(32)} {2}NOT_CONFIGURED {2}never$`, 'u')),
      '',
    ]);
    const [json] = (await pas('status', nodeId, '--json')).out.split('\n');
    expect(JSON.parse(json!)).toMatchObject({ nodeId, status: 4, externalAlarm: { status: 3, setBy: anId(2) } });
  });

  type Row = readonly [args: ReadonlyArray<string>, env: Record<string, string>, code: number, err: RegExp];
  test.each<Row>([
    [['patch', nodeId, '-f', 'bad-patch.json'], {}, 1, /^The patch does not apply \(409\)\n {2}/u],
    [['get', 'x'], {}, 2, /A node is a UUID/u],
    [['set', nodeId, '-f', 'twice.json'], {}, 2, /^twice\.json: thresholdType is named twice/u],
    [['get', nodeId], { REDIS_URL: 'here' }, 2, /REDIS_URL must be a Redis URL/u],
    [['get', nodeId], { POINT_ALARM_URL: 'http://127.0.0.1:2' }, 3, /ECONNREFUSED/u],
    [['watch'], { REDIS_URL: 'redis://127.0.0.1:1' }, 3, /Redis at 127\.0\.0\.1:1 does not answer/u],
    [['get', nodeId], { POINT_ALARM_TOKEN: 'nobody' }, 4, /\(401\)/u],
    [['get', nodeId], { POINT_ALARM_TOKEN: '' }, 4, /npm run -s token/u],
  ])('%j with %j has its exit code and says why', async (args, env, code, err) => {
    fileOf('twice.json', '{"thresholdType": 1, "thresholdType": 2}');
    fileOf('bad-patch.json', JSON.stringify([{ op: 'test', path: '/overall/innerHigh', value: -1 }]));
    const ended = await runPas({ ...plan, env: { ...plan.env, ...env } }, args);
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(err) });
  });
});

describe('watch', () => {
  const nodeId = anId(41);

  test('shows an alarm as it comes, and ends well by Ctrl-C', async () => {
    const watching = startPas(plan, ['watch', '--node', nodeId, '--min-status', 'DANGER']);
    await vi.waitUntil(() => watching.err().includes('following point-alarm-events'), 30_000);
    const threshold = JSON.stringify({ thresholdType: 2, overall: { outerHigh: 70 } });
    await runPas(plan, ['set', nodeId, '-f', '-'], threshold);
    await runPas(plan, ['measure', nodeId, '-f', '-'], JSON.stringify(danger));
    await vi.waitUntil(() => watching.out() !== '', 30_000);
    watching.signal('SIGINT');
    const { code, out } = await watching.ended;
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^\\S+Z \\* DANGER +${nodeId} {2}overall DANGER\n$`, 'u'));
  });

  test('begins where it is told, and as JSON shows all of an event', async () => {
    const { code, out } = await pas('watch', '--from', '0', '--count', '2', '--node', nodeId, '--json');
    expect(code).toBe(0);
    const [first, second] = out
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ type: 'SetPointAlarmThresholdEvent', aggregateId: nodeId, threshold: { nodeId } });
    expect(second).toMatchObject({ type: 'PointAlarmStatusEvent', aggregateId: nodeId, alarmStatus: 1 });
    expect(second.entry).toMatch(/^\d+-\d+$/u);
    const after = await pas('watch', '--from', second.entry, '--count', '1', '--node', nodeId, '--json');
    expect(JSON.parse(after.out)).toMatchObject({ alarmStatus: 4 });
    expect((await pas('watch', '--since', '1h', '--count', '1', '--min-status', '4')).out).toContain('DANGER');
  });

  test('ends by itself with the newest event', async () => {
    const { code, out } = await pas('watch', '--from', '0', '--node', nodeId, '--once');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toContain('overall DANGER');
  });

  test('ends quietly when its reader goes away', () => {
    const script = `node ${join(checkout.folder, 'dist/cli/main.js')} watch --from 0 2>err.txt | head -1; echo "\${PIPESTATUS[0]}"`;
    const { PATH = '' } = process.env;
    const printed = execFileSync('bash', ['-c', script], { cwd: folder, env: { PATH, ...plan.env }, encoding: 'utf8' });
    expect(printed.trimEnd().split('\n')).toHaveLength(2);
    expect(printed).toMatch(/\n0\n$/u);
    expect(readFileSync(join(folder, 'err.txt'), 'utf8')).toBe('following point-alarm-events, Ctrl-C ends it\n');
  });
});

describe('top', () => {
  test('prints the worst nodes first, with the count of each status', async () => {
    const { code, out } = await pas('top', '--once', '--rows', '3', '--last', '100000');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\d+ nodes: \d+ DANGER .*\d+ NO_DATA/u);
    expect(lines.slice(2)).toHaveLength(3);
    expect(lines[2]).toMatch(/^DANGER /u);
  });

  test('asks the API for the nodes of a file', async () => {
    fileOf('two.txt', `${anId(32)}\n${anId(41)}\n`);
    const { out } = await pas('top', '--nodes-from', 'two.txt');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe('2 nodes: 1 DANGER 1 NOT_CONFIGURED');
    expect(lines[2]).toMatch(new RegExp(`^DANGER +${anId(41)}`, 'u'));
  });
});
