import * as E from 'fp-ts/Either';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { developmentGrants, developmentKey, developmentToken, tokenRequest, USAGE } from '../dev-auth';
import { loadSettings } from '../environment';
import { listenForInterrupts } from '../interrupts';
import { dataFolder, projectRoot } from '../project-root';
import { reportedFault, reportTo, runEntry } from '../report';
import { fuzz, test } from './vitest';

const authFolder = join(dataFolder, 'dev-auth');

/**
 * The commands that package.json and docker-compose.yml run. Each takes its arguments and returns its exit code. The code for
 * Temporal and Redis is loaded only by the commands that need it: `token` needs neither.
 */
const commands: Readonly<Record<string, (args: ReadonlyArray<string>) => Promise<number>>> = {
  /** `npm start`: runs everything on this machine until Ctrl-C. Settings come from the environment, then from `.env`. */
  start: async () => {
    const interrupts = listenForInterrupts();
    loadSettings(join(projectRoot, '.env'));
    process.stdout.on('error', () => undefined); // if the reader of the output goes away, nothing stops
    const { entries } = await import('../service.js');
    const { supervise } = await import('../supervise.js');
    await supervise({
      env: process.env,
      folder: dataFolder,
      entries,
      ports: { temporal: 7233, ui: 8233, redis: 6379 },
      interrupts,
      report: reportTo(process.stdout),
      print: (line) => process.stdout.write(`${line}\n`),
    });
    return 0;
  },
  test,
  fuzz,
  /** `npm run simulate`: real code over modelled servers, in virtual time (docs/contributing/how-it-works.md, "Simulated"). */
  simulate: async (args) => {
    const simulation = ['--import', 'tsx', join(projectRoot, 'test/simulation/main.ts'), ...args];
    const child = spawn(process.execPath, simulation, { cwd: projectRoot, stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  },
  /** `npm run bench`: measures the service on this machine (docs/contributing/benchmarks.md). */
  bench: async (args) => {
    const { benchmark } = await import('../../bench/main.js');
    await benchmark(args, listenForInterrupts());
    return 0;
  },
  /** `npm run token`: prints a token and nothing else; wrong arguments give exit code 2, and one line with the usage. */
  token: async (args) => {
    const request = tokenRequest(args);
    if (E.isLeft(request)) {
      process.stderr.write(`${request.left}; ${USAGE}\n`);
      return 2;
    }
    process.stdout.write(`${await developmentToken(authFolder, request.right)}\n`);
    return 0;
  },
  /** Makes the development key and grants where `npm start` would, for docker-compose.yml, which does not run `npm start`. */
  'development-auth': async () => {
    await developmentKey(authFolder);
    developmentGrants(authFolder);
    return 0;
  },
};

void runEntry(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  const command = commands[name];
  if (command === undefined) throw reportedFault(`there is no command ${name}`);
  return command(args);
});
