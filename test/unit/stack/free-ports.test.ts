import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, testPort } from '../../../dev/stack/free-ports';

test('instead of a taken port a later one is given', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port: wanted } = server.address() as AddressInfo;
  const given = await freePort(wanted);
  expect(given).toBeGreaterThan(wanted);
  expect(given).toBeLessThan(wanted + 200);
});

test('no port is given twice, though nobody listens on it yet', async () => {
  const wanted = testPort();
  const given = [await freePort(wanted), await freePort(wanted), await freePort(wanted)];
  expect(new Set(given).size).toBe(3);
});
