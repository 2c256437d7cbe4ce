import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import { join } from 'node:path';
import { isWarning, readLogLine, type LogLine } from '../../process/log';
import { startChild, type Child } from '../child';
import { setting, type Environment } from '../environment';
import { fault } from '../fault';
import { followLog } from '../follow-log';
import { portChooser } from '../free-ports';
import type { Ground } from '../ground';
import { projectRoot } from '../project-root';
import { secondsSince } from '../report';
import { within } from '../../process/within';
import { waitUntil } from '../wait-until';

/** A command with its arguments. */
export interface CommandLine {
  readonly command: string;
  readonly args: ReadonlyArray<string>;
}

/** What Node is given to run our own processes, relative to the project's folder. */
export interface Entries {
  readonly worker: ReadonlyArray<string>;
  readonly api: ReadonlyArray<string>;
}

export const entries: Entries = {
  worker: ['--require', './dist/worker/lean-sandbox.js', 'dist/worker/main.js'],
  api: ['dist/api/main.js'],
};

/** Where the API and the worker are wanted. */
export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  readonly workerPort: number;
}

/** HOST, PORT and WORKER_PORT. Errors: a fault for what is no port, before anything is started. */
export const listenSettings = (env: Environment): ListenSettings => ({
  host: setting(env, 'HOST') ?? '127.0.0.1',
  port: portIn(env, 'PORT', 3000),
  workerPort: portIn(env, 'WORKER_PORT', 3001),
});

const portIn = (env: Environment, name: string, otherwise: number): number => {
  const text = setting(env, name);
  if (text === undefined) return otherwise;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw fault(`${name} is ${text}, it must be a port, 0 to 65535`);
};

/** The address at which a listener on `host` can be called from this machine. */
const callable = (host: string, port: number): string => {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
};

/** What the worker and the API are started with. */
export interface ServicePlan {
  readonly entries: Entries;
  readonly listen: ListenSettings;
  readonly env: Environment;
  readonly logs: string;
  readonly readyWithinMs: number;
  /** Called with each process as soon as it runs, ready or not. */
  readonly onStart: (child: Child) => void;
}

/**
 * Starts worker and API side by side and waits for both; a taken port is replaced by the next free one, which is reported.
 * Returns the API's address.
 */
export const startService = async (plan: ServicePlan, ground: Ground): Promise<string> => {
  const { host, port, workerPort } = plan.listen;
  const choosePort = portChooser(host);
  const choose = async (name: string, wanted: number): Promise<number> => {
    const chosen = await choosePort(wanted);
    if (chosen !== wanted && wanted !== 0) ground.report(name, `port ${wanted} is taken, it gets ${chosen}`);
    return chosen;
  };
  const ports = { api: await choose('api', port), worker: await choose('worker', workerPort) };
  const env = { ...plan.env, HOST: host, PORT: String(ports.api), WORKER_PORT: String(ports.worker) };
  const start = async (name: 'worker' | 'api'): Promise<NodeProcess> => {
    const log = join(plan.logs, `${name}.log`);
    const readyUrl = `${callable(host, ports[name])}/readyz`;
    const started = await startNodeProcess({ name, args: plan.entries[name], env, readyUrl, log }, ground);
    plan.onStart(started.child);
    return started;
  };
  const both = [await start('worker'), await start('api')];
  await Promise.all(both.map(({ ready }) => ready(plan.readyWithinMs)));
  return callable(host, ports.api);
};

/** A Node process of this project: Node's arguments, and the address that answers 200 once it is ready. */
export interface NodeProcessPlan {
  readonly name: string;
  /** What Node loads first, if anything, and the compiled entry file. */
  readonly args: ReadonlyArray<string>;
  readonly env: Environment;
  readonly readyUrl: string;
  /** Where it runs, when not here: its command line as it is run there. */
  readonly on?: (line: CommandLine) => CommandLine;
  readonly log: string;
}

/** A process that was started; it may not be ready yet. */
export interface NodeProcess {
  readonly child: Child;
  /** Waits until it is ready. Errors: a fault when it died, or is not ready in `deadlineMs`. */
  readonly ready: (deadlineMs: number) => Promise<void>;
}

/** Starts a process; the warnings and errors that it logs are reported under its name. */
export const startNodeProcess = async (plan: NodeProcessPlan, ground: Ground): Promise<NodeProcess> => {
  const { name, args, env, readyUrl, log, on = here } = plan;
  const begin = Date.now();
  const notice = (line: string): void => {
    ground.report(name, line);
  };
  const follower = followLog(log, (line) => {
    const warning = warningIn(line);
    if (warning !== undefined) notice(warning);
  });
  const command = { name, ...on({ command: process.execPath, args }), folder: projectRoot, env, log };
  const child = await startChild(command, ground.watchdog);
  void child.exited.then(follower.stop);
  const probe = async (): Promise<void> => {
    const { ok, status } = await within(3_000, fetch(readyUrl));
    if (!ok) throw new Error(`${readyUrl} answers ${status}`);
  };
  return {
    child,
    ready: async (deadlineMs) => {
      await waitUntil(probe, { what: `the ${name}`, deadlineMs, signal: ground.signal, child, notice });
      notice(`ready after ${secondsSince(begin)}`);
    },
  };
};

const here = (line: CommandLine): CommandLine => line;

/** The text of a log line for the terminal; undefined for a record below a warning, and for the frames of a stack. */
export const warningIn = (line: string): string | undefined =>
  pipe(
    readLogLine(line),
    O.match(
      () => (/^\s|^$|^node:|^Node\.js /.test(line) ? undefined : line),
      (record) => (isWarning(record) ? inWords(record) : undefined),
    ),
  );

const inWords = ({ level, msg, err, reason = err?.message }: LogLine): string =>
  `${level === 'warn' ? 'warning' : level}: ${msg}${reason === undefined ? '' : `: ${reason}`}`;
