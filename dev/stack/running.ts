import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { exitText, startChild, type Child, type ChildPlan, type Exit } from './child';
import { listensOn } from './port-owner';
import { Fault, reportedFault, lineOf, secondsSince } from './report';
import type { Ground } from './ground';

/** A child process that answers at `url`. It can be killed, frozen, and started again with the same port and files. */
export type Running = Awaited<ReturnType<typeof startRunning>>;

export interface RunningPlan extends ChildPlan, Pick<Wait, 'notice'> {
  readonly url: string;
  readonly probe: () => Promise<void>;
  /** The port where the process listens on this machine. Until it listens there, an answer comes from another program. */
  readonly port?: number;
  /** The name of the process in messages about a wait that failed, such as `the worker`; by default `name`. */
  readonly what?: string;
  readonly onStart?: (child: Child) => void;
}

const READY_WITHIN_MS = 60_000;
const ENDS_WITHIN_MS = 30_000;

/** Starts a process, and does not wait until it answers. */
export const startRunning = async (plan: RunningPlan, { watchdog, signal }: Ground) => {
  const { name, url, log, probe, port, what = name, notice, onStart } = plan;
  mkdirSync(plan.folder, { recursive: true });
  const unaskedExits: string[] = [];
  let frozen = 0;
  const begin = async (moreArgs: ReadonlyArray<string>): Promise<Child> => {
    const begun = await startChild({ ...plan, args: [...plan.args, ...moreArgs] }, watchdog);
    onStart?.(begun);
    void begun.exited.then((exit) => begun.isAsked() || unaskedExits.push(exitText(exit)));
    return begun;
  };
  let child = await begin([]);
  // The child that was seen to listen. It is not checked again: a check takes 15 ms, and probes may go on for hours.
  let listening: Child | undefined;
  const ownProbe = async (): Promise<void> => {
    if (port !== undefined && listening !== child) {
      const listens = listensOn(child.pid, port);
      if (listens === false) throw new Error(`it does not listen on ${port}`);
      if (listens === true) listening = child;
    }
    await probe();
    if (!child.isRunning()) throw new Error('another process answers');
  };
  const ready = (deadlineMs = READY_WITHIN_MS): Promise<void> =>
    waitUntil(ownProbe, { what, deadlineMs, signal, child, ...(notice !== undefined && { notice }) });
  const start = async (...moreArgs: ReadonlyArray<string>): Promise<void> => {
    await child.stop(child.isRunning() ? 8_000 : 0);
    child = await begin(moreArgs);
  };
  return {
    name,
    url,
    log,
    /** The process that was started last. */
    child: () => child,
    /** How each of its processes ended that was not sent a signal to end. */
    unaskedExits: (): ReadonlyArray<string> => unaskedExits,
    frozen: () => frozen,
    /** Kills the process with SIGKILL, and waits until it has ended. */
    kill: async (): Promise<void> => {
      child.signal('SIGKILL');
      await child.exited;
    },
    /** Stops the process with SIGSTOP: it keeps its connections and sends nothing. */
    freeze: (): void => {
      frozen += 1;
      child.signal('SIGSTOP');
    },
    thaw: (): void => child.signal('SIGCONT'),
    /** Sends SIGTERM, and SIGKILL after 30 s. Returns how the process ended, and after how many ms. */
    terminate: async () => {
      const began = performance.now();
      const exit = await child.stop(ENDS_WITHIN_MS);
      return { exit: exitText(exit), ms: Math.round(performance.now() - began) };
    },
    /** Ends what is left of the process, then starts it again. It may not answer yet. */
    start,
    /** Waits until the process answers. Errors: a `Fault` if it died, or if it does not answer in time. */
    ready,
    restart: async (...moreArgs: ReadonlyArray<string>): Promise<void> => {
      await start(...moreArgs);
      await ready();
    },
    startIfGone: async (): Promise<void> => {
      if (!child.isRunning()) await start();
      await ready();
    },
    stop: (graceMs: number): Promise<Exit> => child.stop(graceMs),
  };
};

const ATTEMPTS = 5;

/**
 * Starts the process that `choose` plans, and waits until it answers. If another program has taken its port meanwhile, `choose`
 * is called for another plan.
 */
export const startServer = (choose: () => Promise<RunningPlan>, ground: Ground): Promise<Running> => {
  const begin = Date.now();
  const start = async (): Promise<Running> => startRunning(await choose(), ground);
  return startOnFreePort(start, ({ name, url }) =>
    ground.report(name, `answers at ${url} after ${secondsSince(begin)}`),
  );
};

/**
 * Calls `start`, and waits until the process answers, within `readyWithinMs`. If another program has taken its port meanwhile,
 * it calls `start` again.
 */
export const startOnFreePort = async (
  start: () => Promise<Running>,
  onReady: (running: Running) => void,
  readyWithinMs?: number,
): Promise<Running> => {
  for (let attempt = 1; ; attempt += 1) {
    const own = await start();
    try {
      await own.ready(readyWithinMs);
      onReady(own);
      return own;
    } catch (thrown) {
      await own.stop(1_000);
      const isTaken = thrown instanceof Fault && /address already in use/i.test(own.child().tail());
      if (!isTaken || attempt === ATTEMPTS) throw thrown;
    }
  }
};

export interface Wait {
  readonly what: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly child?: Child;
  /** Called every 15 s with the reason why the wait goes on. */
  readonly notice?: (line: string) => void;
}

const NOTICE_MS = 15_000;

/**
 * Repeats `probe` until it succeeds, and returns its value. Errors: a `Fault` with the last lines of the child's log if the
 * child died or the deadline passed; the signal's reason if the signal aborted.
 */
export const waitUntil = async <A>(probe: () => Promise<A>, { what, deadlineMs, signal, child, notice }: Wait) => {
  const begin = Date.now();
  let noticed = begin;
  for (;;) {
    signal.throwIfAborted();
    const found = await probe().then(
      (value) => ({ value }),
      (thrown: unknown) => ({ why: lineOf(thrown) }),
    );
    if ('value' in found) return found.value;
    if (child?.isRunning() === false) {
      const exit = await child.exited;
      signal.throwIfAborted(); // whoever watches the child may have aborted the signal already
      throw reportedFault(`${what} ended with ${exitText(exit)}${logOf(child)}`);
    }
    if (Date.now() - begin > deadlineMs)
      throw reportedFault(
        `${what} does not answer after ${secondsSince(begin)} (${found.why})${child ? logOf(child) : ''}`,
      );
    if (Date.now() - noticed > NOTICE_MS) {
      noticed = Date.now();
      notice?.(`not ready after ${secondsSince(begin)} (${found.why})`);
    }
    await delay(50);
  }
};

const logOf = (child: Child): string => {
  const lines = child
    .tail()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-6);
  return `; its log is ${child.log}${lines.length === 0 ? ', and empty' : ` and ends:\n  ${lines.join('\n  ')}`}`;
};
