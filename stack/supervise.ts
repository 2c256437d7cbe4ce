import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitText, type Child } from './child';
import { setting, type Environment } from './environment';
import { portChooser } from './free-ports';
import { startWatchdog, type Ground } from './ground';
import type { Interrupts } from './interrupts';
import { isAlive, knownProcess, takeLock, type KnownProcess } from './pid-lock.cjs';
import { fault, lineOf, secondsSince, type Report } from './report';
import { bringUpServers, withoutPassword, type Servers, type ServersPlan } from './servers';
import { listenSettings, serviceEnvironment, startService, type Entries, type ServiceEnvironment } from './service';

/** What a supervisor is given. */
export interface SupervisorPlan {
  readonly env: Environment;
  /** State, keys and logs. */
  readonly folder: string;
  readonly entries: Entries;
  /** The ports wanted for the servers; the next free ones are taken. */
  readonly ports: ServersPlan['ports'];
  readonly interrupts: Interrupts;
  readonly report: Report;
  readonly print: (line: string) => void;
}

/** The started processes: stopped last first, and watched for an unexpected end. */
interface Running {
  readonly undo: Array<() => Promise<void> | void>;
  readonly keep: (child: Child) => void;
}

const GRACE_MS = 10_000;
const READY_WITHIN_MS = 120_000;
const INTERRUPTED = fault('interrupted');

/**
 * Brings up Temporal, Redis, the worker and the API, and stops them in the opposite order when it is interrupted or one of
 * them ends; nothing is restarted. A second interrupt kills what is left.
 *
 * Errors: a fault or a defect, once everything is stopped; an interrupt is none.
 */
export const supervise = async (plan: SupervisorPlan): Promise<void> => {
  const ending = new AbortController();
  const children: Array<Child> = [];
  const undo: Running['undo'] = [];
  const keep = (child: Child): void => {
    children.push(child);
    void child.exited.then((exit) => {
      ending.abort(fault(`${child.name} ended with ${exitText(exit)}; its log is ${child.log}`));
    });
  };
  plan.interrupts.first.addEventListener('abort', () => {
    ending.abort(INTERRUPTED);
  });
  plan.interrupts.again.addEventListener('abort', () => {
    for (const child of children) child.signal('SIGKILL');
  });
  const watchdog = startWatchdog();
  const outcome: unknown = await bringUp(plan, { report: plan.report, watchdog, signal: ending.signal }, { undo, keep })
    .then(async (): Promise<unknown> => {
      if (!ending.signal.aborted) await once(ending.signal, 'abort');
      return ending.signal.reason;
    })
    .catch((thrown: unknown): unknown => (ending.signal.aborted ? ending.signal.reason : thrown));
  ending.abort(outcome);
  await stopAll(undo, plan.report);
  await watchdog.close();
  if (outcome !== INTERRUPTED) throw outcome;
};

const stopAll = async (undo: Running['undo'], report: Report): Promise<void> => {
  if (undo.length === 0) return;
  const begin = Date.now();
  report('all', 'stopping ...');
  for (const step of undo.reverse()) await step();
  report('all', `stopped after ${secondsSince(begin)}`);
};

const bringUp = async (plan: SupervisorPlan, ground: Ground, { undo, keep }: Running): Promise<void> => {
  const { env, folder, ports, report } = plan;
  const begin = Date.now();
  const listen = listenSettings(env);
  const logs = join(folder, 'logs');
  undo.push(await lockFolder(folder, ground));
  const choosePort = portChooser('127.0.0.1');
  const servers = await bringUpServers({ env, folder, logs, keepRedis: 'file', ports, choosePort }, ground);
  undo.push(servers.stop);
  const own = [servers.temporal.own, servers.redis.own].flatMap((server) => server?.child() ?? []);
  own.forEach(keep);
  const service = await serviceEnvironment(env, servers, folder);
  const base = await startService(
    {
      entries: plan.entries,
      listen,
      env: service.env,
      logs,
      readyWithinMs: own.length === 2 ? READY_WITHIN_MS : Infinity, // a server of somebody else may come at any time
      onStart: (child) => {
        keep(child);
        undo.push(async () => void (await child.stop(GRACE_MS)));
      },
    },
    ground,
  );
  report('all', `ready after ${secondsSince(begin)}`);
  for (const line of addressLines(base, servers, service, logs)) plan.print(line);
};

/** Time (ms) to wait for a watchdog that still cleans up after its supervisor. */
const CLEANED_WITHIN_MS = 15_000;

/**
 * Takes `folder` for this process and its watchdog alone, since two servers on the same files destroy them. Returns how to
 * give it back. Errors: a fault when another supervisor holds it, or it cannot be written.
 */
export const lockFolder = async (folder: string, { watchdog, signal }: Ground): Promise<() => void> => {
  const file = join(folder, 'start.lock');
  const own = [process.pid, watchdog.pid ?? process.pid].map(knownProcess);
  const take = (): ReadonlyArray<KnownProcess> | undefined => {
    try {
      return takeLock(file, own);
    } catch (thrown) {
      throw fault(`cannot write to ${folder}: ${lineOf(thrown)}`);
    }
  };
  const deadline = Date.now() + CLEANED_WITHIN_MS;
  for (let holders = take(); holders !== undefined; holders = take()) {
    const [supervisor] = holders;
    if ((supervisor !== undefined && isAlive(supervisor)) || Date.now() > deadline) {
      const pid = holders.find(isAlive)?.pid ?? 0;
      throw fault(`npm start runs already with ${folder} (process ${pid}); stop that one first`);
    }
    await delay(100, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  return () => {
    rmSync(file, { force: true });
  };
};

const EXAMPLE_NODE = '7d0f3a52-9c1e-4b8a-8f26-3e5b1c9d4a70';
const EXAMPLE_THRESHOLD = '{"thresholdType":2,"overall":{"unit":"mm/s","outerHigh":7.1,"innerHigh":4.5}}';

/** The summary for the user once everything is ready; the `curl` can be pasted. */
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
  curlLine(base, takesDevelopmentTokens),
  '',
  'Ctrl-C stops all of it; what is stored stays.',
];

const curlLine = (base: string, takesDevelopmentTokens: boolean): string =>
  [
    `curl -i -X PUT ${base}/v1/point-alarm-threshold/${EXAMPLE_NODE}`,
    `-H "Authorization: Bearer ${takesDevelopmentTokens ? '$(npm run -s token)' : '$TOKEN'}"`,
    `-H 'Content-Type: application/json' -d '${EXAMPLE_THRESHOLD}'`,
  ].join(' ');
