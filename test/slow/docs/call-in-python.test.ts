import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { startService } from '../../support/service';
import { startAnsweringServer } from '../../support/answering-server';

const program = (node: string): string => `
import call, unittest.mock
call.token = unittest.mock.Mock(side_effect=[OSError('the issuer is away')] + 9 * [call.token()])
path, limits = '/v1/point-alarm-threshold/${node}', {'thresholdType': 2, 'overall': {'unit': 'C', 'innerHigh': 50}}
never_set = {'If-Match': call.read(path)[1]['ETag']}
with unittest.mock.patch('call.GIVE_UP_AFTER_S', 0), unittest.TestCase().assertRaises(call.NotAcknowledged) as raised:
    call.write('PUT', path, limits, never_set)
call.write('PUT', path, limits, {**never_set, 'Idempotency-Key': raised.exception.key})
call.send_data_point()
call.write('PUT', '/v1/alarm-status/${node}')
threshold, headers = call.read(path); print(headers['ETag'])
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
  const from = { env: { ...reached, ...about, NODE: node }, cwd: join(projectRoot, 'docs/examples/python') };
  const { stdout } = await promisify(execFile)('python3', ['-B', '-c', program(node)], from);
  expect(stdout).toBe('"1"\n400 /problems/invalid-request\n412 /problems/precondition-failed\n');
  expect(tries.map(([, status]) => status)).toEqual([200, 204, 204, 204, 204, 204, 200, 400, 412]);
  const some = expect.any(String) as unknown; // of the five writes; a read has none
  expect([...new Set(tries.map(([key]) => key))]).toEqual([undefined, some, about.MEASUREMENT_ID, some, some, some]);
  expect((await service.call({ method: 'GET', path: `/v1/alarm-status/${node}` })).json).toMatchObject({ status: 4 });
}, 60_000);
