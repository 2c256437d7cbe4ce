import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { projectRoot } from '../../dev/stack/project-root';
import { testPort } from '../../dev/stack/free-ports';
import { comparable, consoleCommands } from '../support/documents/console';
import { foundCommands } from '../support/ground';
import { copyProject, npmStart, type Checkout, type Started } from './checkout';

let checkout: Checkout;
let started: Started;
beforeAll(async () => {
  checkout = copyProject(true);
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
/** Where the newcomer's ports are free, `pas` needs none of these. */
const addresses = () => ({
  POINT_ALARM_URL: started.api,
  REDIS_URL: `redis://127.0.0.1:${started.redisPort}`,
  TEMPORAL_ADDRESS: started.temporal,
  CI: 'true', // a pipe gets no colours there either
});
/** What the first page shows goes through npm; the others' `pas` and `npm run -s pas --` are the command, which starts sooner. */
const DIRECTLY = `pas() { node dist/cli/main.js "$@"; }
npm() { if [ "$1 $2 $3 $4" = "run -s pas --" ]; then shift 4; node dist/cli/main.js "$@"; else command npm "$@"; fi; }`;
const run = (script: string): string =>
  execFileSync('bash', ['-c', script], {
    cwd: checkout.folder,
    env: { ...withTemporal(), ...addresses() },
    encoding: 'utf8',
  });

const GUIDE = 'docs/getting-started.md';
const RUNBOOK = 'docs/runbook/';
const pageOf = (name: string): string => `docs/${name}.md`;

/** The commands of a page, or of all pages of a folder: its README first, which sets the environment for the others. */
const commandsOf = (place: string) =>
  (place.endsWith('/')
    ? ['README.md', ...readdirSync(join(projectRoot, place)).filter((name) => name !== 'README.md')].map(
        (name) => `${place}${name}`,
      )
    : [place]
  ).flatMap((page) => consoleCommands(readFileSync(join(projectRoot, page), 'utf8')));

test('a newcomer who watches as the guide says sees the DANGER of its measurement', async () => {
  const guide = readFileSync(join(projectRoot, GUIDE), 'utf8');
  const [, watch = ''] = /^```sh\n(npm run -s pas -- watch.*)\n```$/mu.exec(guide) ?? [];
  const watching = spawn('bash', ['-c', watch], {
    cwd: checkout.folder,
    env: { ...process.env, ...addresses() },
    detached: true,
  });
  let [shown, reported] = ['', ''];
  watching.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  watching.stderr.on('data', (chunk: Buffer) => (reported += chunk.toString()));
  await vi.waitFor(() => expect(reported).toContain('following'), 30_000);
  // The guide's own commands run in the next test; here their like for another node.
  const commands = commandsOf(GUIDE).map(({ command }) => command.replace('http://127.0.0.1:3000', started.api));
  const until = commands.findIndex((command) => command.includes('"DATA_POINT"'));
  const node = '1c6dbe2b-8f32-4eb6-9d0f-2a1f3d0b7c11';
  run(
    commands
      .slice(0, until + 1)
      .join('\n')
      .replaceAll('8c6dbe2b-8f32-4eb6-9d0f-2a1f3d0b7c11', node),
  );
  await vi.waitFor(() => expect(shown).toMatch(new RegExp(`DANGER +${node} {2}overall DANGER`, 'u')), 30_000);
  if (watching.pid !== undefined) process.kill(-watching.pid, 'SIGINT');
  await once(watching, 'exit');
});

const GUIDES = ['calls', 'client', 'rating', 'operations', 'cli', 'faq'].map(pageOf);
test.each(['README.md', GUIDE, RUNBOOK, ...GUIDES])(
  'every command of %s prints what is shown there',
  async (document) => {
    let environment = document === 'README.md' ? '' : DIRECTLY;
    for (const { command, output } of commandsOf(document)) {
      const here = command
        .replace('http://127.0.0.1:3000', started.api)
        .replace('127.0.0.1:7233', started.temporal)
        // Without a terminal redis-cli leaves out the numbers that a reader sees.
        .replace(/\bredis-cli(?: -p 6379)?\b/u, `redis-cli --no-raw -p ${started.redisPort}`);
      if (here.startsWith('export ')) {
        environment += `\n${run(`${environment}\n${here}\nexport -p | grep -E ' (TOKEN|API|NODE|NEW|TEMPORAL_ADDRESS|POINT_ALARM_TOKEN)='`)}`;
        continue;
      }
      const shown = { command, printed: comparable(output) };
      const check = (): void => expect({ command, printed: comparable(run(`${environment}\n${here}`)) }).toEqual(shown);
      // Temporal's lists of workflows follow the nodes after seconds.
      if (here.startsWith('temporal workflow count')) await vi.waitFor(check, { timeout: 30_000, interval: 500 });
      else check();
    }
  },
);
