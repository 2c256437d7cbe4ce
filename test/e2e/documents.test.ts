import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/stack/project-root';
import { testPort } from '../../scripts/stack/free-ports';
import { foundCommands } from '../found-commands';
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

/** The environment, in which `temporal` is the command that was found for the tests. */
const withTemporal = (): NodeJS.ProcessEnv => {
  const { temporal } = foundCommands(process.env);
  const bin = join(checkout.folder, '.data', 'bin');
  if (temporal !== undefined && !existsSync(bin)) {
    mkdirSync(bin, { recursive: true });
    symlinkSync(temporal, join(bin, 'temporal'));
  }
  return { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
};

const commandsOf = (document: string) => consoleCommands(readFileSync(join(projectRoot, document), 'utf8'));

test('the README shows a command for each of the seven endpoints', () => {
  const text = commandsOf('README.md')
    .map(({ command }) => command)
    .join('\n');
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

test.each(['README.md', 'docs/spectra.md', 'docs/operations.md'])(
  'every command of %s prints what is shown there',
  (document) => {
    const run = (script: string): string =>
      execFileSync('bash', ['-c', script], { cwd: checkout.folder, encoding: 'utf8', env: withTemporal() });
    let environment = '';
    for (const { command, output } of commandsOf(document)) {
      const here = command
        .replace('http://127.0.0.1:3000', started.api)
        .replace('127.0.0.1:7233', started.temporal)
        // Without a terminal redis-cli leaves out the numbers that a reader sees.
        .replace('redis-cli -p 6379', `redis-cli --no-raw -p ${started.redisPort}`);
      if (here.startsWith('export ')) {
        environment = run(`${environment}\n${here}\nexport -p | grep -E ' (TOKEN|API|NODE|NEW|TEMPORAL_ADDRESS)='`);
        continue;
      }
      expect({ command, printed: comparable(run(`${environment}\n${here}`)) }).toEqual({
        command,
        printed: comparable(output),
      });
    }
  },
);

test('a block of the operations that no test runs says why', () => {
  const text = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
  const fences = [...text.matchAll(/(<!-- not run: .+ -->\n)?^```(\w*)\n.*?^```$/gmsu)];
  expect(fences.length).toBeGreaterThan(10);
  for (const [block, reason, language] of fences)
    expect([block, language === 'console' || reason !== undefined]).toEqual([block, true]);
});
