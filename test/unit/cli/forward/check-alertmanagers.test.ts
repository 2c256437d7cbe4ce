import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkAlertmanagers } from '../../../../cli/forward/alertmanager/alertmanager';
import { startAnsweringServer } from '../../../support/answering-server';

test.each(['p@ss', 'p%40ss', '100%', '5%zz'])('an Alertmanager gets the password of me:%s@', async (password) => {
  let got: string | undefined;
  const server = createServer(({ headers }, response) => {
    got = headers.authorization;
    response.end('{"versionInfo":{}}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await checkAlertmanagers([new URL(`http://me:${password}@127.0.0.1:${port}`)]);
  const meant = password.replace('%40', '@');
  expect(got).toBe(`Basic ${Buffer.from(`me:${meant}`).toString('base64')}`);
});

test('an Alertmanager whose status shows a configuration of megabytes is one', async () => {
  const server = await startAnsweringServer({ config: { original: 'x'.repeat(3_000_000) }, versionInfo: {} });
  onTestFinished(server.close);
  await checkAlertmanagers([new URL(server.url)]);
});
