import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runUntil } from '../../support/run-program';
import { folderOfTest } from '../../support/temporary-folder';

/** The exit code of a command that is interrupted before it can do anything. */
const interrupted = async (...args: ReadonlyArray<string>): Promise<number> => {
  const { code } = await runUntil(AbortSignal.abort(), { REDIS_URL: 'redis://127.0.0.1:9' }, folderOfTest(), ...args);
  return code;
};

test.each([['watch'], ['top'], ['watch', '--last', '5']])('Ctrl-C is how %s ends', async (...args) => {
  expect(await interrupted(...args)).toBe(0);
});

test.each([
  ['watch', '--once'],
  ['watch', '--count', '1'],
  ['watch', '--count=1'],
  ['top', '--once'],
])('%s %s was to end by itself: a signal cuts it off', async (...args) => expect(await interrupted(...args)).toBe(130));

test('a forwarder that was to catch up, and was cut off, is not done', async () => {
  const alertmanager = createServer((_, response) => response.end('{"versionInfo":{}}')).listen(0, '127.0.0.1');
  onTestFinished(() => void alertmanager.close());
  await once(alertmanager, 'listening');
  const url = `http://127.0.0.1:${(alertmanager.address() as AddressInfo).port}`;
  expect(await interrupted('forward', 'alertmanager', '--url', url)).toBe(0);
  expect(await interrupted('forward', 'alertmanager', '--url', url, '--catch-up')).toBe(130);
});
