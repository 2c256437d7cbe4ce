import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testPort } from '../../../dev/stack/free-ports';
import { eventually } from '../../integration/workflows/nodes';
import { runNode, type RunningProcess } from '../../support/run-node';

/** A supervisor under test, in a process of its own. */
export interface Supervisor extends RunningProcess {
  /** Waits for this text in the output. Errors: it ended, or 60 s passed. */
  readonly says: (text: string | RegExp) => Promise<string>;
}

/** A folder for one test, gone after it, once the watchdogs have ended what was started there. */
export const dataFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'point-alarm-bring-up-')));
  onTestFinished(async () => {
    await until(() => processesOf(folder).length === 0);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** Starts a supervisor on the data in `folder`/data, with fake parts that keep a journal in `folder`/journal. */
export const runSupervisor = (folder: string, env: Readonly<Record<string, string>> = {}): Supervisor => {
  const ports = [testPort(), testPort(), testPort()].map(String);
  const args = ['--require', 'tsx/cjs', join(__dirname, 'supervisor.ts'), join(folder, 'data'), ...ports];
  const supervisor = runNode(args, {
    ...commandsIn(process.env),
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    PORT: String(testPort()),
    WORKER_PORT: String(testPort()),
    FAKE_JOURNAL: join(folder, 'journal'),
    ...env,
  });
  const { said, isRunning, stop } = supervisor;
  onTestFinished(stop);
  const found = (text: string | RegExp): boolean =>
    typeof text === 'string' ? said().includes(text) : text.test(said());
  return {
    ...supervisor,
    says: async (text) => {
      await until(() => found(text) || !isRunning());
      if (!found(text)) throw new Error(`it ended and never said ${String(text)}:\n${said()}`);
      return said();
    },
  };
};

/** Polls until `holds`. Errors: 60 s passed. */
export const until = (holds: () => boolean): Promise<boolean> => eventually(async () => holds(), Boolean, 60_000);

/** The processes, but for ourselves, whose command line or environment names `folder`: servers, parts and the supervisor. */
export const processesOf = (folder: string): ReadonlyArray<number> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => readOf(`/proc/${pid}/${file}`).includes(folder)))
    .map(Number);

/** What the fake parts noted, in order. */
export const journalOf = (folder: string): ReadonlyArray<string> => readOf(join(folder, 'journal')).trim().split('\n');

const readOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** The command that `npm test` found serves the supervisor as well. */
const commandsIn = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> => {
  const temporal = env['POINT_ALARM_TEMPORAL_CLI'] ?? env['TEMPORAL_CLI'];
  return temporal === undefined ? {} : { TEMPORAL_CLI: temporal };
};
