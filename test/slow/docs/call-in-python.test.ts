import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { peers, whole } from '../../support/peers/peers';
import { startPeers } from '../../support/peers/start-peers';
import { ofWrites, type Fate } from '../../support/peers/ways';
import { startService } from '../../support/service';
import { startAnsweringServer } from '../../support/answering-server';
import { folderOfFile } from '../../support/temporary-folder';

const run = promisify(execFile);
const examples = join(projectRoot, 'docs/examples/python');
const folder = folderOfFile();
const python = join(folder, '.venv/bin/python');
beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', join(folder, '.venv')]);
  execFileSync(python, ['-m', 'pip', 'install', '-q', '-r', join(examples, 'requirements.txt')]);
});

const program = (node: string): string => `
import call, unittest.mock
call.token = unittest.mock.Mock(side_effect=[OSError('the issuer is away')] + 99 * [call.token()])
path, limits = '/v1/point-alarm-threshold/${node}', {'thresholdType': 2, 'overall': {'unit': 'C', 'innerHigh': 50}}
never_set = {'If-Match': call.read(path)[1]['ETag']}
with unittest.mock.patch('call.GIVE_UP_AFTER_S', 0), unittest.TestCase().assertRaises(call.NotAcknowledged) as raised:
    call.write('PUT', path, limits, never_set)
call.write('PUT', path, limits, {**never_set, 'Idempotency-Key': raised.exception.key})
call.send_data_point()
call.write('PUT', '/v1/alarm-status/${node}')
patched, tagged = call.write('PATCH', path, [{'op': 'replace', 'path': '/overall/innerHigh', 'value': 60}], {'If-Match': '"1"'})
threshold, headers = call.read(path); print(headers['ETag'], patched == threshold, tagged['ETag'])
print(call.read_thresholds(['${node}', '${node}']) == 2 * [threshold])
for refused in (('/v1/alarm-status/${node}', {}), (path, {**threshold, 'fullScale': 100}, never_set)):
    try: call.write('PUT', *refused)
    except call.Refused as why: print(why.status, why.problem['type'])`;

test('the caller in Python repeats a call, a write under its key: after it gave up, an answer of a proxy, without a token', async () => {
  const service = await startService();
  onTestFinished(service.stop);
  const node = randomUUID();
  const tries: (readonly [key: unknown, status: number])[] = [];
  const proxy = await startAnsweringServer(async ({ method = '', url: path = '', headers, socket }, response, body) => {
    const { status, text, headers: answered } = await service.call({ method, path, body, headers });
    if (tries.push([headers['idempotency-key'], status]) === 2) socket.destroy();
    else response.writeHead(tries.length === 3 ? 502 : status, answered).end(text);
  });
  onTestFinished(proxy.close);
  const about = { VALUE: '75', UNIT: 'C', MEASUREMENT_ID: randomUUID(), CREATED_AT: new Date().toISOString() };
  const reached = { PATH: process.env['PATH'], POINT_ALARM_URL: proxy.url, POINT_ALARM_TOKEN: await service.token() };
  const from = { env: { ...reached, ...about, NODE: node }, cwd: examples };
  const { stdout } = await run(python, ['-B', '-c', program(node)], from);
  expect(stdout).toBe('"2" True "2"\nTrue\n400 /problems/invalid-request\n412 /problems/precondition-failed\n');
  expect(tries.map(([, status]) => status)).toEqual([200, 204, 204, 204, 204, 204, 200, 200, 200, 400, 412]);
  const some = expect.any(String) as unknown; // of the six writes; a read has none
  expect([...new Set(tries.map(([key]) => key))]).toEqual([
    undefined,
    some,
    about.MEASUREMENT_ID,
    some,
    some,
    some,
    some,
  ]);
  expect((await service.call({ method: 'GET', path: `/v1/alarm-status/${node}` })).json).toMatchObject({ status: 4 });
}, 60_000);

/** One write for each peer, at once; prints whether it was stored, or how it was given back. */
const toPeers = `
import call, concurrent.futures, json, logging
logging.disable()
call.TRY_S, call.GIVE_UP_AFTER_S = 2, 20
def fate(at):
    try: return [call.write('PUT', f'/{at}/v1/alarm-status/x/status/external', {'status': 3})[0], None]
    except call.Refused as why: return ['Refused', why.problem['status']]
    except call.NotAcknowledged as why: return ['NotAcknowledged', why.key]
with concurrent.futures.ThreadPoolExecutor(16) as pool: print(json.dumps(list(pool.map(fate, range(${peers.length})))))`;

test('a write counts once the service itself said 204; what passes is repeated by one key, the rest is given back by name', async () => {
  const keys = new Map<number, ReadonlyArray<unknown>>();
  const { url, asked } = await startPeers(
    ({ path, headers }) => {
      const at = Number(path.split('/')[1]);
      keys.set(at, [...(keys.get(at) ?? []), headers['idempotency-key']]);
      return keys.get(at)?.length === 1 ? peers[at] : undefined;
    },
    whole('takes', 204),
  );
  const env = { PATH: process.env['PATH'], POINT_ALARM_URL: url, POINT_ALARM_TOKEN: 'a.b.c' };
  const { stdout } = await run(python, ['-B', '-c', toPeers], { env, cwd: examples });
  const results = JSON.parse(stdout) as ReadonlyArray<readonly [by: string | null, what: unknown]>;
  const fateOf = (at: number): Fate =>
    results[at]?.[0] !== null ? 'aside' : keys.get(at)?.length === 1 ? 'once' : 'later';
  const found = Object.fromEntries(peers.map(({ name }, at) => [name, fateOf(at)]));
  const fates = Object.fromEntries(peers.map((peer) => [peer.name, ofWrites(peer)]));
  expect(found).toEqual(fates);
  for (const [at, own] of keys) expect([new Set(own).size, typeof own[0]], peers[at]?.name).toEqual([1, 'string']);
  expect(asked.filter(({ path }) => path.includes('elsewhere'))).toEqual([]);
  // Only the service itself refuses: what it says may be corrected, and the rest is kept.
  const refused = peers.filter(({ name }, at) => found[name] === 'aside' && results[at]?.[0] === 'Refused');
  expect(refused.map(({ name }) => name)).toEqual(['400 with a problem', '413 with a problem', '422 with a problem']);
});

test('as a script it ends with 0 once it is stored, 1 where the service refused it, and 75 where anything else answered', async () => {
  const ends: Record<string, unknown> = {};
  const rows = ['204', '422 with a problem', '302 to /elsewhere', '200 with a page', '400 cut off'];
  const script = `import call, runpy, sys; call.GIVE_UP_AFTER_S = 0
try: call.send_data_point()
except call.Refused: sys.exit(1)
except call.NotAcknowledged: sys.exit(75)`;
  const { url } = await startPeers(({ path }) => peers[Number(path.split('/')[1])], whole('takes', 204));
  const about = {
    VALUE: '75',
    UNIT: 'C',
    MEASUREMENT_ID: randomUUID(),
    CREATED_AT: new Date().toISOString(),
    NODE: 'x',
  };
  for (const row of rows) {
    const at = peers.findIndex(({ name }) => name === row);
    const env = { PATH: process.env['PATH'], POINT_ALARM_URL: `${url}/${at}`, POINT_ALARM_TOKEN: 'a.b.c', ...about };
    const ended = await run(python, ['-B', row.includes('cut') ? '-c' : 'call.py', script], {
      env,
      cwd: examples,
    }).then(
      () => 0,
      (error: unknown) => (error as { readonly code: number }).code,
    );
    ends[row] = ended;
  }
  expect(ends).toEqual(Object.fromEntries(rows.map((row, at) => [row, [0, 1, 75, 75, 75][at]])));
});

test('an answer that asks for no wait at all is not repeated at once, again and again', async () => {
  const { url, asked } = await startPeers(() => whole('busy', 503, 'none', 'Retry-After: 0'), whole('takes', 204));
  const script = `import call; call.GIVE_UP_AFTER_S = 4
try: call.read('/v1/alarm-status/x')
except call.NotAcknowledged: pass`;
  const env = { PATH: process.env['PATH'], POINT_ALARM_URL: url, POINT_ALARM_TOKEN: 'a.b.c' };
  await run(python, ['-B', '-c', script], { env, cwd: examples });
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.length).toBeLessThanOrEqual(4);
});
