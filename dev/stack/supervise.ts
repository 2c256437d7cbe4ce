import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Interrupts } from '../../process/interrupts';
import { exitText } from './child';
import { setting, type Environment } from './environment';
import { freePort } from './free-ports';
import { startWatchdog, type Ground, type Watchdog } from './ground';
import { isAlive, knownProcess, renameHolders, statOf, takeLock, type KnownProcess } from '../../process/pid-lock.cjs';
import { reportedFault, lineOf, secondsSince, type Report } from './report';
import { startOnFreePort, type Running } from './running';
import { bringUpServers, withoutPassword, type Servers, type ServersPlan } from './servers';
import { serviceEnvironment, startNodeProcess, type EntryPoints, type ServiceEnvironment } from './service';

export interface SupervisorPlan {
  readonly env: Environment;
  readonly folder: string;
  readonly entries: EntryPoints;
  /** The ports wanted for the servers. If one is taken, the next free one is used. */
  readonly ports: Required<ServersPlan>['ports'];
  readonly interrupts: Interrupts;
  readonly report: Report;
  readonly print: (line: string) => void;
}

const GRACE_MS = 10_000;
const READY_WITHIN_MS = 120_000;
const INTERRUPTED = reportedFault('interrupted');

/**
 * Brings up Temporal, Redis, the worker and the API. After an interrupt, or when one of these processes ends, it stops all of
 * them in the opposite order; nothing is restarted. A second interrupt kills what is left.
 *
 * Errors: the `Fault` or other error that ended it, once everything is stopped. An interrupt is no error.
 */
export const supervise = async (plan: SupervisorPlan): Promise<void> => {
  const { folder, interrupts, report } = plan;
  const ending = new AbortController();
  const started: Running[] = [];
  const keep = (running: Running): void => {
    started.push(running);
    const { name, log, exited } = running.child();
    void exited.then((exit) => {
      ending.abort(reportedFault(`${name} ended with ${exitText(exit)}; its log is ${log}`));
    });
  };
  interrupts.first.addEventListener('abort', () => ending.abort(INTERRUPTED));
  interrupts.again.addEventListener('abort', () => {
    for (const running of started) running.child().signal('SIGKILL');
  });
  const watchdog = startWatchdog();
  const ground = { report, watchdog, signal: ending.signal };
  let lock: FolderLock | undefined;
  try {
    const listen = listenSettings(plan.env);
    lock = await lockFolder(folder, ground);
    await bringUp(plan, listen, { ...ground, watchdog: { ...watchdog, ...lock.names(watchdog) } }, keep);
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
  } catch (thrown) {
    ending.abort(thrown); // has no effect if the signal has aborted already
  }
  if (lock !== undefined) {
    const begin = Date.now();
    report('all', 'stopping ...');
    for (const running of started.reverse()) await running.stop(GRACE_MS);
    report('all', `stopped after ${secondsSince(begin)}`);
  }
  await watchdog.close();
  lock?.release();
  if (ending.signal.reason !== INTERRUPTED) throw ending.signal.reason;
};

/** Starts all processes and calls `keep` with each: servers and API once they answer, the worker as soon as it is started. */
const bringUp = async (plan: SupervisorPlan, listen: Listen, ground: Ground, keep: (running: Running) => void) => {
  const { env, folder, ports, report } = plan;
  const begin = Date.now();
  const logs = join(folder, 'logs');
  const servers = await bringUpServers({ env, folder, logs, keepRedis: 'file', ports }, ground);
  const own = [servers.temporal.own, servers.redis.own].flatMap((server) => server ?? []);
  own.forEach(keep);
  const service = await serviceEnvironment(env, servers, folder);
  let chosen = await freePorts(listen, report);
  const start = (name: 'worker' | 'api', port: string): Promise<Running> => {
    const [log, url, args] = [join(logs, `${name}.log`), callable(listen.HOST, port), plan.entries[name]];
    const env = { ...service.env, ...chosen };
    return startNodeProcess({ name, args, env, url, log, ...(name === 'api' && { port: Number(port) }) }, ground);
  };
  const startApi = async (): Promise<Running> => {
    const running = await start('api', chosen.PORT);
    chosen = { ...chosen, PORT: String(await freePort(Number(chosen.PORT), listen.HOST)) }; // the port for the next try
    return running;
  };
  const serviceBegin = Date.now();
  const onReady = ({ name }: Running): void => report(name, `ready after ${secondsSince(serviceBegin)}`);
  const readyWithinMs = own.length === 2 ? READY_WITHIN_MS : Infinity; // the user's own server may come at any time
  const worker = await start('worker', chosen.WORKER_PORT);
  keep(worker);
  const [api] = await Promise.all([
    startOnFreePort(startApi, onReady, readyWithinMs),
    worker.ready(readyWithinMs).then(() => onReady(worker)),
  ]);
  keep(api);
  report('all', `ready after ${secondsSince(begin)}`);
  for (const line of addressLines(api.url, servers, service, logs)) plan.print(line);
};

/** HOST, PORT and WORKER_PORT, or their defaults. Errors: one `Fault` for all ports that are no port numbers. */
export const listenSettings = (env: Environment) => {
  const ports = { PORT: setting(env, 'PORT') ?? '3000', WORKER_PORT: setting(env, 'WORKER_PORT') ?? '3001' };
  const wrong = Object.entries(ports).filter(([, text]) => !(/^\d{1,5}$/.test(text) && Number(text) <= 65_535));
  if (wrong.length > 0)
    throw reportedFault(wrong.map(([name, text]) => `${name} is ${text}, it must be a port, 0 to 65535`).join('; '));
  return { HOST: setting(env, 'HOST') ?? '127.0.0.1', ...ports };
};

type Listen = ReturnType<typeof listenSettings>;

/** The settings with the next free port in place of each port that is taken. It reports each replacement. */
const freePorts = async ({ HOST, PORT, WORKER_PORT }: Listen, report: Report): Promise<Listen> => {
  const choose = async (name: string, wanted: string): Promise<string> => {
    const chosen = await freePort(Number(wanted), HOST);
    if (chosen !== Number(wanted) && Number(wanted) !== 0) report(name, `port ${wanted} is taken, it gets ${chosen}`);
    return String(chosen);
  };
  return { HOST, PORT: await choose('api', PORT), WORKER_PORT: await choose('worker', WORKER_PORT) };
};

/** The URL at which this machine can call a server that listens on `host`. */
const callable = (host: string, port: string): string => {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
};

/** Time (ms) to wait for a watchdog that still cleans up after its supervisor. */
const CLEANED_WITHIN_MS = 15_000;

/** Time (ms) from SIGTERM to SIGKILL for processes that an earlier start left running. */
const LEFT_ENDS_WITHIN_MS = 8_000;

/** The lock of a folder. It names each process that is started, so that the next start finds those left running. */
interface FolderLock {
  readonly names: (watchdog: Pick<Watchdog, 'watch' | 'release'>) => Pick<Watchdog, 'watch' | 'release'>;
  readonly release: () => void;
}

/**
 * Locks `folder` for this process, its watchdog and the processes that they start: two servers on the same files would destroy
 * the files. If an earlier start was killed together with its watchdog, it ends the processes that were left running. Errors: a
 * `Fault` if another supervisor has the folder, if a process cannot be ended, or if the folder cannot be written.
 */
export const lockFolder = async (folder: string, { report, watchdog, signal }: Ground): Promise<FolderLock> => {
  const file = join(folder, 'start.lock');
  const own = [process.pid, watchdog.pid ?? process.pid].map(knownProcess);
  const take = (): ReadonlyArray<KnownProcess> | undefined => {
    try {
      return takeLock(file, own);
    } catch (thrown) {
      throw reportedFault(`cannot write to ${folder}: ${lineOf(thrown)}`);
    }
  };
  const deadline = Date.now() + CLEANED_WITHIN_MS;
  const ended = new Set<number>();
  for (let holders = take(); holders !== undefined; holders = take()) {
    const [supervisor, cleaner, ...left] = holders;
    if (![supervisor, cleaner].some((one) => one !== undefined && isAlive(one)))
      for (const { pid, born } of left.filter(isAlive)) {
        if (born === '') continue; // its start is unknown: the id may be another process's by now
        if (ended.has(pid) && Date.now() < deadline - CLEANED_WITHIN_MS + LEFT_ENDS_WITHIN_MS) continue;
        const what = `${statOf(pid)?.name ?? 'a process'} (process ${pid}), which another start left running`;
        try {
          process.kill(-pid, ended.has(pid) ? 'SIGKILL' : 'SIGTERM');
        } catch (thrown) {
          if (isAlive(knownProcess(pid)))
            throw reportedFault(`${what}, cannot be ended: ${lineOf(thrown)}; end it first`);
        }
        if (!ended.has(pid)) report('all', `ends ${what}`);
        ended.add(pid);
      }
    if ((supervisor !== undefined && isAlive(supervisor)) || Date.now() > deadline) {
      const pid = holders.find(isAlive)?.pid ?? 0;
      throw reportedFault(`npm start runs already with ${folder} (process ${pid}); stop that one first`);
    }
    await delay(100, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  const started = new Map<number, KnownProcess>();
  const write = (): void => renameHolders(file, [...own, ...started.values()]);
  return {
    names: ({ watch, release }) => ({
      watch: (pid) => {
        watch(pid);
        started.set(Number(pid), knownProcess(Number(pid)));
        write();
      },
      release: (pid) => {
        release(pid);
        if (started.delete(Number(pid))) write();
      },
    }),
    release: () => rmSync(file, { force: true }),
  };
};

const EXAMPLE_NODE = '7d0f3a52-9c1e-4b8a-8f26-3e5b1c9d4a70';
const EXAMPLE_THRESHOLD = '{"thresholdType":2,"overall":{"unit":"mm/s","outerHigh":7.1,"innerHigh":4.5}}';

/** The summary for the user once everything is ready. The line with `curl` can be pasted into a shell. */
const addressLines = (
  base: string,
  { temporal, redis }: Servers,
  { env, takesDevelopmentTokens }: ServiceEnvironment,
  logs: string,
): ReadonlyArray<string> => [
  '',
  `API          ${base}`,
  `Docs         ${base}/docs`,
  `Temporal     ${temporal.address}, namespace ${temporal.namespace}`,
  ...(temporal.ui === undefined ? [] : [`Temporal UI  ${temporal.ui}`]),
  `Redis        ${withoutPassword(redis.url)}`,
  `Stream       ${setting(env, 'EVENT_STREAM') ?? 'point-alarm-events'}`,
  `Logs         ${logs}`,
  '',
  takesDevelopmentTokens ? 'Try it, here in this folder:' : 'Try it, with a token of yours:',
  [
    `curl -i -X PUT ${base}/v1/point-alarm-threshold/${EXAMPLE_NODE}`,
    `-H "Authorization: Bearer ${takesDevelopmentTokens ? '$(npm run -s token)' : '$TOKEN'}"`,
    `-H 'Content-Type: application/json' -d '${EXAMPLE_THRESHOLD}'`,
  ].join(' '),
  '',
  'Ctrl-C stops all of it; what is stored stays.',
];
