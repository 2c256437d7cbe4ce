import { expect, test } from 'vitest';
import { callable, listenSettings } from '../../../stack/service/start-service';

test('without settings it is 127.0.0.1, 3000 and 3001', () => {
  expect(listenSettings({ PORT: '', HOST: ' ' })).toEqual({ host: '127.0.0.1', port: 3000, workerPort: 3001 });
});

test.each(['abc', '65536'])('%s is no port', (text) => {
  expect(() => listenSettings({ WORKER_PORT: text })).toThrow(`WORKER_PORT is ${text}, it must be a port, 0 to 65535`);
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['localhost', 'http://localhost:80'],
])('a listener on %s is called at %s', (host, url) => {
  expect(callable(host, 80)).toBe(url);
});
