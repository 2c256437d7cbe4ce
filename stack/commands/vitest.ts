import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { setting, type Environment } from '../environment';
import { findLocales, findPrometheus, findRedis } from '../find-commands';
import { startWatchdog } from '../ground';
import { listenForInterrupts } from '../interrupts';
import { projectRoot } from '../project-root';
import { reportTo } from '../report';
import { findTemporal } from '../temporal-command';

const REPORT = '--outputFile.json=';

/** The reports of a run lie in `reports/`, by its name. */
const reportersOf = (name: string): ReadonlyArray<string> => [
  ...['--reporter=default', '--reporter=json', '--reporter=./stack/unhandled-errors.mjs'],
  `${REPORT}reports/${name}.json`,
];
const tiers = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.flatMap((name) => ['--project', name]);

/** Tiers that compute, and count branches meanwhile. Tiers of which most wait for servers run beside them. */
const COMPUTING = ['--coverage', ...tiers('unit', 'property', 'contract', 'simulation')];
const WAITING = tiers('replay', 'integration', 'e2e', 'fuzz');

/**
 * `npm test`: vitest with the arguments given. Without any it runs all tiers, but for two: `slow` floods the service and
 * measures it, `chaos` takes the machine for itself.
 */
export const test = (args: ReadonlyArray<string>): Promise<number> =>
  args.length > 0
    ? runVitest([[...reportersOf('vitest'), ...args]])
    : runVitest([
        [...reportersOf('vitest'), ...WAITING],
        [...reportersOf('vitest-computing'), ...COMPUTING],
      ]);

/** `npm run fuzz`: the tiers fuzz and cost for longer, by a new seed, which is printed: the same seed finds the same again. */
export const fuzz = (args: ReadonlyArray<string>): Promise<number> => {
  const { runs, minutes, seed } = new Command('npm run fuzz --')
    .option('--runs <count>', 'runs of each kind of call', count, 2_000)
    .option('--minutes <count>', 'the most that each kind may take', count, 10)
    .option('--seed <number>', 'to run again what a seed led to', count, randomInt(1, 2 ** 31 - 1))
    .parse(args, { from: 'user' })
    .opts<{ readonly runs: number; readonly minutes: number; readonly seed: number }>();
  process.stderr.write(`seed ${seed}, ${runs} runs of each kind, at most ${minutes} minutes for each\n`);
  const budget = { FUZZ_SEED: String(seed), FUZZ_RUNS: String(runs), FUZZ_MINUTES: String(minutes) };
  return runVitest([tiers('fuzz', 'cost')], budget);
};

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
};

const STOPS_WITHIN_MS = 15_000;
const INTERRUPTED = 130;

/**
 * Makes sure of the Temporal, Redis and Prometheus commands and of the locales of the tests, then runs vitest with the arguments
 * of each of `runs` side by side, and the settings of `env` beside our own. What any but the first writes is shown once all are
 * over. The exit code is vitest's, the highest one.
 */
const runVitest = async (runs: ReadonlyArray<ReadonlyArray<string>>, env: Environment = {}): Promise<number> => {
  const interrupts = listenForInterrupts();
  const watchdog = startWatchdog();
  const ground = { report: reportTo(process.stderr), watchdog, signal: interrupts.first };
  const given = process.env;
  // What the tests' own servers are started with, and the rules are tested by; what is given by an address needs no command.
  const found = {
    ...(setting(given, 'TEMPORAL_ADDRESS') === undefined && {
      POINT_ALARM_TEMPORAL_CLI: (await findTemporal(given, ground)).path,
    }),
    ...(setting(given, 'REDIS_URL') === undefined && { POINT_ALARM_REDIS_SERVER: await findRedis(given, ground) }),
    POINT_ALARM_PROMETHEUS: await findPrometheus(given, ground),
  };
  await findLocales(given, ground);
  const all = runs.map((args, index) => startVitest(args, { ...given, ...found, ...env }, index === 0));
  const kill = (name: NodeJS.Signals): void => {
    for (const { child } of all) if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name);
  };
  for (const { child } of all) if (child.pid !== undefined) watchdog.watch(child.pid);
  interrupts.first.addEventListener('abort', () => {
    kill('SIGINT');
    setTimeout(kill, STOPS_WITHIN_MS, 'SIGKILL');
  });
  interrupts.again.addEventListener('abort', () => kill('SIGKILL'));
  await Promise.all(all.map(({ closed }) => closed));
  for (const { held } of all) process.stdout.write(Buffer.concat(held));
  all.forEach(({ child }, index) => {
    if (child.exitCode !== 0) noteLoose(runs[index] ?? []);
  });
  await watchdog.close();
  return interrupts.first.aborted ? INTERRUPTED : Math.max(...all.map(({ child }) => child.exitCode ?? 1));
};

/**
 * Leaves `<report>.loose` beside the report of a run that failed where no file of tests did, such as by its coverage: .ci/run
 * must not take that for an unsteady file.
 */
const noteLoose = (args: ReadonlyArray<string>): void => {
  const path = args.find((arg) => arg.startsWith(REPORT))?.slice(REPORT.length);
  if (path === undefined || hasFailedFile(join(projectRoot, path))) return;
  mkdirSync(dirname(join(projectRoot, path)), { recursive: true });
  writeFileSync(join(projectRoot, path.replace(/\.json$/u, '.loose')), '');
};

const hasFailedFile = (report: string): boolean => {
  if (!existsSync(report)) return false;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: ReadonlyArray<{ status: string }>;
  };
  return testResults.some(({ status }) => status === 'failed');
};

/** A run of vitest in a process group of its own. What it writes is `held`, unless it is shown as it comes. */
const startVitest = (args: ReadonlyArray<string>, env: Environment, isShown: boolean) => {
  const child = spawn(process.execPath, [join(projectRoot, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: projectRoot,
    env,
    stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const held: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => held.push(data));
  return { child, held, closed: once(child, 'close') };
};
