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
call.token = unittest.mock.Mock(side_effect=[OSError('the issuer is away')] + 8 * [call.token()])
path = '/v1/point-alarm-threshold/${node}'
never_set = call.read(path)[1]['ETag']
call.write('PUT', path, {'thresholdType': 2, 'overall': {'unit': 'C', 'innerHigh': 50}}, {'If-Match': never_set})
call.send_data_point()
call.write('PUT', '/v1/alarm-status/${node}')
threshold, headers = call.read(path)
try: call.write('PUT', path, {**threshold, 'fullScale': 100}, {'If-Match': never_set})
except call.Refused as refused: print(headers['ETag'], refused.status, refused.problem['type'])`;

test('the caller in Python repeats a call, a write under its key: without a token, a lost answer, one of a proxy', async () => {
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
  expect(stdout).toBe('"1" 412 /problems/precondition-failed\n');
  expect(tries.map(([, status]) => status)).toEqual([200, 204, 204, 204, 204, 204, 200, 412]);
  expect(new Set(tries.map(([key]) => key)).size).toBe(5); // of four writes, and none of a read
  const { json } = await service.call({ method: 'GET', path: `/v1/alarm-status/${node}` });
  expect(json).toMatchObject({ status: 4 });
}, 60_000);
