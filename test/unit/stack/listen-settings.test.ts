import { expect, test } from 'vitest';
import { listenSettings } from '../../../stack/service/start-service';

test.each(['abc', '65536'])('%s is no port', (text) => {
  expect(() => listenSettings({ WORKER_PORT: text })).toThrow(`WORKER_PORT is ${text}, it must be a port, 0 to 65535`);
});
