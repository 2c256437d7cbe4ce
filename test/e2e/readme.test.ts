import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/stack/project-root';
import { testPort } from '../../scripts/stack/free-ports';
import { copyProject, npmStart, type Checkout, type Started } from './checkout';
import { comparable, consoleCommands } from './console-blocks';

let checkout: Checkout;
let started: Started;
beforeAll(async () => {
  checkout = copyProject();
  started = await npmStart(checkout.folder, { PORT: String(testPort()), WORKER_PORT: String(testPort()) });
});
afterAll(async () => {
  await started.interrupt();
  checkout.remove();
});

const commands = consoleCommands(readFileSync(join(projectRoot, 'README.md'), 'utf8'));

test('the README shows a command for each of the seven endpoints', () => {
  const text = commands.map(({ command }) => command).join('\n');
  for (const shown of [
    '-X PUT $API/point-alarm-threshold/$NODE',
    '-X PATCH $API/point-alarm-threshold/$NODE',
    'curl -s $API/point-alarm-threshold/$NODE',
    '-X POST $API/point-alarm-threshold-batch',
    'curl -s $API/alarm-status/$NODE',
    '-X PUT $API/alarm-status/$NODE',
    '-X PUT $API/alarm-status/$NODE/status/external',
  ]) {
    expect(text).toContain(shown);
  }
});

test('every command of the README prints what the README says', () => {
  let environment = '';
  for (const { command, output } of commands) {
    const here = command
      .replace('http://127.0.0.1:3000', started.api)
      // Without a terminal redis-cli leaves out the numbers that a reader sees.
      .replace('redis-cli -p 6379', `redis-cli --no-raw -p ${started.redisPort}`);
    if (here.startsWith('export ')) {
      environment = here;
      continue;
    }
    const printed = execFileSync('bash', ['-c', `${environment}\n${here}`], { cwd: checkout.folder, encoding: 'utf8' });
    expect({ command, printed: comparable(printed) }).toEqual({ command, printed: comparable(output) });
  }
});
