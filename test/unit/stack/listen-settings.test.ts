import { expect, test } from 'vitest';
import { listenSettings } from '../../../stack/service';

test.each(['abc', '65536'])('%s is no port', (text) => {
  expect(() => listenSettings({ WORKER_PORT: text })).toThrow(`WORKER_PORT is ${text}, it must be a port, 0 to 65535`);
});

test('two that are no ports are told together', () => {
  expect(() => listenSettings({ PORT: 'a', WORKER_PORT: 'b' })).toThrow(
    'PORT is a, it must be a port, 0 to 65535; WORKER_PORT is b, it must be a port, 0 to 65535',
  );
});
