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

/** The reporters of a run of vitest. The report as JSON is the file `reports/<name>.json`. */
const reportersOf = (name: string): ReadonlyArray<string> => [
  ...['--reporter=default', '--reporter=json', '--reporter=./dev/stack/unhandled-errors.mjs'],
  `${REPORT}reports/${name}.json`,
];
const tiers = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.flatMap((name) => ['--project', name]);

/** `COMPUTING`: tiers of tests that compute, with the coverage of branches. `WAITING`: tiers that mostly wait for servers. */
const COMPUTING = ['--coverage', ...tiers('unit', 'property', 'contract', 'simulation')];
const WAITING = tiers('replay', 'integration', 'e2e', 'fuzz');

/**
 * `npm test`: runs vitest with the given arguments. Without arguments it runs `COMPUTING` and `WAITING`, side by side. The
 * remaining tiers take long, measure, or need the machine for themselves.
 */
export const test = (args: ReadonlyArray<string>): Promise<number> =>
  args.length > 0
    ? runVitest([[...reportersOf('vitest'), ...args]])
    : runVitest([
        [...reportersOf('vitest'), ...WAITING],
        [...reportersOf('vitest-computing'), ...COMPUTING],
      ]);

/** `npm run fuzz`: runs the tiers fuzz and cost for longer. It prints its seed; `--seed` with the same seed repeats a run. */
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
 * Finds or installs Temporal, Redis, Prometheus and the locales of the tests. Then it runs vitest with the arguments of each of
 * `runs` side by side, with `env` added to the environment. The output of the first run is shown as it comes, that of the
 * others once all runs are over. The exit code is the highest one of vitest.
 */
const runVitest = async (runs: ReadonlyArray<ReadonlyArray<string>>, env: Environment = {}): Promise<number> => {
  const interrupts = listenForInterrupts();
  const watchdog = startWatchdog();
  const ground = { report: reportTo(process.stderr), watchdog, signal: interrupts.first };
  const given = process.env;
  // Commands of the tests' own servers, and Prometheus for tests of alert rules. A server with an address needs none.
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
 * Writes a `.loose` file beside the report of a run that failed although none of its test files did, such as by its coverage.
 * Then .ci/run does not run failed test files once more.
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

/** Starts vitest in a process group of its own. Its output is shown as it comes (`isShown`), or collected in `held`. */
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
