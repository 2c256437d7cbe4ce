import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pause } from '../../process/backoff';
import { startChild } from '../../dev/stack/child';
import { knownProcess, takeLock } from '../../process/pid-lock.cjs';
import { projectRoot } from '../../dev/stack/project-root';
import { waitUntil } from '../../dev/stack/running';
import { openGround } from '../support/ground';

/** A copy of the project in a folder of its own, as a newcomer has it, but for the modules that are installed here. */
export type Checkout = { readonly folder: string; readonly remove: () => void };

/** `withBuild`: with what was built here too, which `npm start` builds again where the sources are others. */
export const copyProject = (withBuild = false): Checkout => {
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-checkout-'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(projectRoot, file), join(folder, file));
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  if (withBuild) cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
};

export interface Started {
  readonly api: string;
  readonly redisPort: string;
  readonly temporal: string;
  /** Ctrl-C, as a terminal sends it to the whole group; answers the exit code. */
  readonly interrupt: () => Promise<number | null>;
}

const READY = 'Ctrl-C stops all of it';
const READY_WITHIN_MS = 280_000;

/** Two that begin at once would find the same ports free: each file of this tier waits until the other's has begun. */
const BEGINS = join(tmpdir(), 'point-alarm-npm-start.lock');

/** `npm start` in `folder`, until it says that it is ready. */
export const npmStart = async (folder: string, env: Readonly<Record<string, string>> = {}): Promise<Started> => {
  while (takeLock(BEGINS, [knownProcess(process.pid)]) !== undefined) await pause(100);
  try {
    return await begun(folder, env);
  } finally {
    rmSync(BEGINS, { force: true });
  }
};

const begun = async (folder: string, env: Readonly<Record<string, string>>): Promise<Started> => {
  const ground = openGround('npm-start');
  const log = join(ground.folder, 'npm-start.log');
  const plan = { name: 'npm start', command: 'npm', args: ['start'], env: { ...withoutServers(process.env), ...env } };
  const child = await startChild({ ...plan, folder, log }, ground.watchdog);
  const probe = async (): Promise<string> => {
    const output = readFileSync(log, 'utf8');
    if (!output.includes(READY)) throw new Error('it is not ready');
    return output;
  };
  const { signal } = ground;
  const output = await waitUntil(probe, { what: 'npm start', deadlineMs: READY_WITHIN_MS, signal, child });
  return {
    api: address(output, /^API +(\S+)$/mu),
    redisPort: address(output, /^Redis +redis:\/\/127\.0\.0\.1:(\d+)$/mu),
    temporal: address(output, /^Temporal +([^\s,]+)/mu),
    interrupt: async () => {
      child.signal('SIGINT');
      const { code } = await child.exited;
      await ground.close();
      return code;
    },
  };
};

const address = (output: string, pattern: RegExp): string => {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`npm start did not print ${String(pattern)}:\n${output}`);
  return found;
};

/** Servers of its own: those that the tests run on are not the newcomer's. */
const withoutServers = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(TEMPORAL_ADDRESS|REDIS_URL|VITEST.*|NODE_OPTIONS)$/u.test(name)),
  );
