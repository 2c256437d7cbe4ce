import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { servePages } from '../../process/page-server';
import { documentOf } from '../../stream/asyncapi';
import { healthPages } from '../../worker/health';
import { call, exchange } from '../support/api/call';
import { startApi } from '../support/api/start-api';

const read = (name: string): string => readFileSync(join(__dirname, '../..', name), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

const fromApi = async (path: string): Promise<unknown> => {
  const api = await startApi();
  onTestFinished(api.close);
  return (await call(api, { method: 'GET', path, user: null })).json;
};

const fromWorker = async (path: string): Promise<unknown> => {
  const pages = healthPages([], new Registry(), () => Promise.resolve(''));
  const { port, close } = await servePages({ host: '127.0.0.1', port: 0 }, pages);
  onTestFinished(close);
  return (await exchange({ port }, 'GET', path, {})).json;
};

test.each<[name: string, versionIn: () => unknown]>([
  ['package-lock.json', () => JSON.parse(read('package-lock.json'))],
  ['docs/openapi.json', () => JSON.parse(read('docs/openapi.json')).info],
  ['docs/asyncapi.yaml', () => parse(read('docs/asyncapi.yaml')).info],
  [
    'the AsyncAPI document of a process',
    () => documentOf({ stream: 's', attributePrefix: 'p', bandThresholdName: 'overallAlarmThreshold' })['info'],
  ],
  ['GET /openapi.json', async () => ((await fromApi('/openapi.json')) as { readonly info: unknown }).info],
  ['/healthz of the API', () => fromApi('/healthz')],
  ['/healthz of a worker', () => fromWorker('/healthz')],
])('%s says the version of package.json', async (_, found) => {
  expect(await found()).toMatchObject({ version });
});
