import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { portChooser, testPort } from '../../../stack/free-ports';

/** Listens on a port of its own; says which. */
const takenPort = async (): Promise<number> => {
  const wanted = await portChooser('127.0.0.1')(testPort());
  const server = createServer().listen(wanted, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return wanted;
};

test('instead of a taken port a later one is given', async () => {
  const taken = await takenPort();
  const given = await portChooser('127.0.0.1')(taken);
  expect(given).toBeGreaterThan(taken);
  expect(given).toBeLessThan(taken + 200);
});

test('a chooser gives no port twice, though nobody listens on it yet', async () => {
  const choose = portChooser('127.0.0.1');
  const wanted = testPort();
  const given = [await choose(wanted), await choose(wanted), await choose(wanted)];
  expect(new Set(given).size).toBe(3);
});
