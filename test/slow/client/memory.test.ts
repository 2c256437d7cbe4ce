import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { runNode } from '../../support/run-node';
import { anId } from '../../support/scenario';
import { folderOfTest } from '../../support/temporary-folder';

const CALLS = 100_000;

/** Calls as `pas top --nodes-from` does: under one signal for the client, and here one for all calls, too. */
const caller = (url: string): string => `
const { createPointAlarmClient } = require(${JSON.stringify(join(projectRoot, 'dist/client'))});
const { setTimeout: sleep } = require('node:timers/promises');
const [ofClient, ofCalls] = [new AbortController(), new AbortController()];
const client = createPointAlarmClient({ baseUrl: '${url}', token: () => 'a.b.c', signal: ofClient.signal });
const makeCalls = async (count) => {
  let left = count;
  const one = async () => {
    while ((left -= 1) >= 0) {
      const answer = await client.getAlarmStatus('${anId(1)}', { signal: ofCalls.signal });
      if (answer._tag !== 'Right') throw new Error(JSON.stringify(answer));
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  for (let turn = 0; turn < 5; turn += 1) (global.gc(), await sleep(50));
  return process.memoryUsage().heapUsed;
};
void (async () => {
  const before = await makeCalls(5_000);
  console.log((await makeCalls(${CALLS})) - before);
  process.exit(0);
})();`;

const statusServer = async (): Promise<string> => {
  const server = createServer(({ url = '' }, response) => {
    response.end(JSON.stringify({ nodeId: url.split('/').at(-1), updatedAt: 0, status: 0 }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('the typed client has a flat heap over 100,000 calls', async () => {
  const running = runNode(['--expose-gc', '-e', caller(await statusServer())], { PATH: process.env['PATH'] });
  onTestFinished(() => running.stop());
  expect(await running.exited, running.said()).toBe(0);
  const grown = Number(running.said());
  console.log(`${CALLS} calls grew the heap by ${Math.round(grown / 1_024)} KiB`);
  expect(grown / CALLS).toBeLessThan(50); // bytes a call; a listener that stays takes 2,000
}, 900_000);

test('pas top --nodes-from reads 30,000 nodes in a heap of 128 MiB', async () => {
  const file = join(folderOfTest(), 'nodes.txt');
  writeFileSync(file, Array.from({ length: 30_000 }, (_, at) => anId(at)).join('\n'));
  const args = [
    '--max-old-space-size=128',
    join(projectRoot, 'dist/cli/main.js'),
    'top',
    '--once',
    '--nodes-from',
    file,
  ];
  const { PATH, HOME } = process.env;
  const running = runNode(args, { PATH, HOME, POINT_ALARM_URL: await statusServer(), POINT_ALARM_TOKEN: 'a.b.c' });
  onTestFinished(() => running.stop());
  expect(await running.exited, running.said().slice(-2_000)).toBe(0);
  expect(running.out()).toContain('30000');
}, 900_000);
