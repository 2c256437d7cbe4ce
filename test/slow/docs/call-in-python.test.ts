import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { startService } from '../../support/service';
import { startAnsweringServer } from '../../support/answering-server';

test('the caller in Python repeats a write under its key, after an answer that is lost and one of a proxy', async () => {
  const service = await startService();
  onTestFinished(service.stop);
  const node = randomUUID();
  const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50, outerHigh: 70 } };
  await service.call({ method: 'PUT', path: `/v1/point-alarm-threshold/${node}`, body: threshold });

  const keys: unknown[] = [];
  const statuses: number[] = [];
  const proxy = await startAnsweringServer(async ({ method = '', url: path = '', headers, socket }, response, body) => {
    const key = headers['idempotency-key'];
    const { status } = await service.call({
      ...{ method, path, body },
      headers: { 'Idempotency-Key': key, Authorization: headers.authorization },
    });
    keys.push(key);
    statuses.push(status);
    if (keys.length === 1) socket.destroy();
    else response.writeHead(keys.length === 2 ? 502 : status).end();
  });
  onTestFinished(proxy.close);

  const env = {
    PATH: process.env['PATH'],
    POINT_ALARM_URL: proxy.url,
    POINT_ALARM_TOKEN: await service.token(),
    NODE: node,
    ...{ VALUE: '75', UNIT: 'C', MEASUREMENT_ID: randomUUID(), CREATED_AT: new Date().toISOString() },
  };
  await promisify(execFile)('python3', [join(projectRoot, 'docs/examples/python/call.py')], { env });
  expect(new Set(keys).size).toBe(1);
  expect(statuses).toEqual([204, 204, 204]);
  const { json } = await service.call({ method: 'GET', path: `/v1/alarm-status/${node}` });
  expect(json).toMatchObject({ status: 4 });
}, 60_000);
