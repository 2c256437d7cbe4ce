import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setting, type Environment } from '../environment';
import { findLocales, findPrometheus, findRedis } from '../find-commands';
import { findTemporal } from '../temporal-command';
import type { Ground } from '../ground';
import { projectRoot } from '../project-root';
import { reportTo } from '../report';
import { startWatchdog } from '../watchdog';
import { listenForInterrupts } from './interrupts';

const STOPS_WITHIN_MS = 15_000;
const INTERRUPTED = 130;

/**
 * Makes sure of the Temporal, Redis and Prometheus commands and of the locales of the tests, then runs vitest with `args` and the
 * settings of `env` beside our own. The exit code is vitest's.
 */
export const runVitest = async (args: ReadonlyArray<string>, env: Environment = {}): Promise<number> => {
  const interrupts = listenForInterrupts(process.env['npm_lifecycle_event'] !== undefined);
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
