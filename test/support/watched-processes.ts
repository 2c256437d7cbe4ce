import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../chaos/probe';
import type { Running } from '../../dev/stack/running';
import { descriptorsOf, sampleProcess, type ProcessSample } from './process-sample';

/** Descriptors beyond those at its start that a process may have at rest: connections to servers. */
const SPARE_DESCRIPTORS = 16;
const AT_REST_WITHIN_MS = 20_000;
const BAD_LINE = /MaxListenersExceededWarning|"level":"fatal"/u;

const EVERY_MS = 1_000;
/**
 * An event loop may be late by this (ms), and by the time for which its thread waited for a processor of the machine, or for a
 * disk or another thread: then it ran for less than this.
 */
const LATE_MS = 250;
/** The first time (ms) of a process does not count: it loads its code. */
const STARTS_MS = 5_000;

/** Counts how often an event loop was late because its own code ran. */
const countLate = (one: Running) => {
  let samples: ReadonlyArray<ProcessSample> = [];
  let late = 0;
  let startedAt = 0;
  const look = async (): Promise<void> => {
    const now = await sampleProcess(one).catch(() => undefined);
    if (now === undefined) return; // what it was late by meanwhile is in the next sample
    if (samples.at(-1)?.pid !== now.pid) {
      samples = [];
      startedAt = performance.now();
    }
    const last = samples.at(-1) ?? now;
    // After a long turn of the loop the answer can be sent before the turn is counted as late. So the time that the thread ran
    // and waited is taken since the sample before the last.
    const earlier = samples.at(-2) ?? last;
    const ownMs = Math.min(now.lateMs - last.lateMs - (now.waitedMs - earlier.waitedMs), now.ranMs - earlier.ranMs);
    const hasStarted = performance.now() - startedAt > STARTS_MS;
    if (hasStarted && now.lateSeconds > last.lateSeconds && ownMs > LATE_MS) late += 1;
    samples = [...samples.slice(-1), now];
  };
  const stopped = new AbortController();
  const looks = (async () => {
    while (!stopped.signal.aborted) {
      await look();
      await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await look();
  })();
  return {
    stop: async (): Promise<number> => {
      stopped.abort();
      await looks;
      return late;
    },
  };
};

/**
 * Watches APIs and workers from now on, when all are ready, for what nothing may make them do. `keptConnections`: how many a
 * balancer keeps to each.
 */
export const watchProcesses = (apis: ReadonlyArray<Running>, workers: ReadonlyArray<Running>, keptConnections = 0) => {
  const all = [...apis, ...workers];
  const atStart = new Map(all.map((one) => [one, descriptorsOf(one)]));
  const lateSeconds = new Map(apis.map((one) => [one, countLate(one)]));
  const faultsOf = async (one: Running): Promise<ReadonlyArray<string>> => {
    const faults = one.unaskedExits().map((exit) => `ended by itself: ${exit}`);
    for (const line of readFileSync(one.log, 'utf8').split('\n')) if (BAD_LINE.test(line)) faults.push(line);
    const late = (await lateSeconds.get(one)?.stop()) ?? 0;
    if (late > 0) faults.push(`was late by more than ${LATE_MS} ms in ${late} seconds`);
    if (!one.child().isRunning()) return faults;
    const most = (atStart.get(one) ?? Infinity) + SPARE_DESCRIPTORS + keptConnections;
    await eventually(
      () => descriptorsOf(one),
      (count) => count <= most,
      AT_REST_WITHIN_MS,
    ).catch(() => faults.push(`has ${descriptorsOf(one)} descriptors at rest, ${most} at most were expected`));
    const sample = await sampleProcess(one);
    if (sample === undefined) return [...faults, 'runs, and does not answer'];
    if (sample.longActivations > one.frozen()) faults.push(`ran a node for more than a second`);
    return faults;
  };
  return {
    /** Watches a worker that is started later as well; its descriptors are not counted. */
    add: (worker: Running): void => void all.push(worker),
    /** Stops them by `stop`. Errors: what was seen of them. */
    stop: async (stop: () => Promise<void>): Promise<void> => {
      const faults = await Promise.all(
        all.map(async (one) => (await faultsOf(one)).map((fault) => `${one.name} ${fault}`)),
      );
      await stop();
      if (faults.flat().length > 0) throw new Error(faults.flat().join('\n'));
    },
  };
};
