import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { setting, type Environment } from '../environment';
import { findLocales, findPrometheus, findRedis } from '../find-commands';
import { startWatchdog, type Ground } from '../ground';
import { listenForInterrupts } from '../interrupts';
import { projectRoot } from '../project-root';
import { reportTo } from '../report';
import { findTemporal } from '../temporal-command';

/** The reports of a run lie in `reports/`, by its name. */
const reportersOf = (name: string): ReadonlyArray<string> => [
  ...['--reporter=default', '--reporter=json'],
  `--outputFile.json=reports/${name}.json`,
];
const tiers = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.flatMap((name) => ['--project', name]);

/** Counting branches makes code several times slower: only the tiers that must meet each of them pay for that. */
const COVERED = ['--coverage', ...tiers('unit', 'contract')];
const OTHERS = tiers('property', 'replay', 'integration', 'e2e', 'fuzz', 'simulation');

/**
 * `npm test`: vitest with the arguments given. Without any it runs all tiers, but for two: `slow` floods the service and
 * measures it, `chaos` takes the machine for itself.
 */
export const test = async (args: ReadonlyArray<string>): Promise<number> => {
  if (args.length > 0) return runVitest([...reportersOf('vitest'), ...args]);
  const covered = await runVitest([...reportersOf('vitest-covered'), ...COVERED]);
  if (covered > 1) return covered; // interrupted
  return Math.max(covered, await runVitest([...reportersOf('vitest'), ...OTHERS]));
};

/** `npm run fuzz`: the fuzz tier for longer, by a new seed, which is printed: the same seed finds the same again. */
export const fuzz = (args: ReadonlyArray<string>): Promise<number> => {
  const { runs, minutes, seed } = new Command('npm run fuzz --')
    .option('--runs <count>', 'runs of each kind of call; sequences of calls are half as many', count, 2_000)
    .option('--minutes <count>', 'the most that each kind may take', count, 10)
    .option('--seed <number>', 'to run again what a seed led to', count, randomInt(1, 2 ** 31 - 1))
    .parse(args, { from: 'user' })
    .opts<{ readonly runs: number; readonly minutes: number; readonly seed: number }>();
  process.stderr.write(`seed ${seed}, ${runs} runs of each kind, at most ${minutes} minutes for each\n`);
  const budget = { FUZZ_SEED: String(seed), FUZZ_RUNS: String(runs), FUZZ_MINUTES: String(minutes) };
  return runVitest(['--project', 'fuzz'], budget);
};

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
};

const STOPS_WITHIN_MS = 15_000;
const INTERRUPTED = 130;

/**
 * Makes sure of the Temporal, Redis and Prometheus commands and of the locales of the tests, then runs vitest with `args` and the
 * settings of `env` beside our own. The exit code is vitest's.
 */
const runVitest = async (args: ReadonlyArray<string>, env: Environment = {}): Promise<number> => {
  const interrupts = listenForInterrupts();
  const watchdog = startWatchdog();
  const ground = { report: reportTo(process.stderr), watchdog, signal: interrupts.first };
  const found = await commandsFor(process.env, ground);
  await findLocales(process.env, ground);
  const vitest = spawn(process.execPath, [join(projectRoot, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...found, ...env },
    stdio: 'inherit',
    detached: true,
  });
  const kill = (name: NodeJS.Signals): void => {
    if (vitest.pid !== undefined && vitest.exitCode === null) process.kill(-vitest.pid, name);
  };
  if (vitest.pid !== undefined) watchdog.watch(vitest.pid);
  interrupts.first.addEventListener('abort', () => {
    kill('SIGINT');
    setTimeout(kill, STOPS_WITHIN_MS, 'SIGKILL');
  });
  interrupts.again.addEventListener('abort', () => {
    kill('SIGKILL');
  });
  await once(vitest, 'exit');
  await watchdog.close();
  return interrupts.first.aborted ? INTERRUPTED : (vitest.exitCode ?? 1);
};

/** What the tests' own servers are started with, and the rules are tested by; what is given by an address needs no command. */
const commandsFor = async (env: NodeJS.ProcessEnv, ground: Ground): Promise<Record<string, string>> => ({
  ...(setting(env, 'TEMPORAL_ADDRESS') === undefined && {
    POINT_ALARM_TEMPORAL_CLI: (await findTemporal(env, ground)).path,
  }),
  ...(setting(env, 'REDIS_URL') === undefined && { POINT_ALARM_REDIS_SERVER: await findRedis(env, ground) }),
  POINT_ALARM_PROMETHEUS: await findPrometheus(env, ground),
});
