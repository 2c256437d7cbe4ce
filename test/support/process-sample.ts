import { readdirSync, readFileSync } from 'node:fs';
import type { Running } from '../../dev/stack/running';

/** What a process of the service has at a moment. */
export interface ProcessSample {
  readonly pid: number;
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  /** Seconds so far in which its event loop was late by more than 250 ms. */
  readonly lateSeconds: number;
  /** By how much (ms) it was late at most in each second so far, added up. */
  readonly lateMs: number;
  /** Time (ms) so far for which its main thread ran, and for which it waited for a processor of the machine. */
  readonly ranMs: number;
  readonly waitedMs: number;
  /** How often so far the code of a node ran for more than a second, in a worker. */
  readonly longActivations: number;
}

const MIB = 1_048_576;

/** The value of a series in Prometheus' text; the sum where there are several. */
const valueIn = (text: string, name: string, labels = ''): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[{ ]/u.test(line.slice(name.length)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);

/** How many values of a histogram lie above the bucket `le`. */
const above = (text: string, name: string, le: string): number =>
  valueIn(text, `${name}_count`) - valueIn(text, `${name}_bucket`, `le="${le}"`);

export const descriptorsOf = ({ child }: Pick<Running, 'child'>): number =>
  readdirSync(`/proc/${child().pid}/fd`).length;

/** As Linux counts it (proc(5), `schedstat`, in ns). */
const scheduledOf = (pid: number): Pick<ProcessSample, 'ranMs' | 'waitedMs'> => {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ranMs: ran! / 1e6, waitedMs: waited! / 1e6 };
};

/** Nothing of a process that was killed, or does not answer yet. */
export const sampleProcess = async ({ url, child }: Running): Promise<ProcessSample | undefined> => {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.text(),
    () => undefined,
  );
  if (text === undefined || !child().isRunning()) return undefined;
  return {
    pid: child().pid,
    residentMiB: valueIn(text, 'process_resident_memory_bytes') / MIB,
    heapMiB: valueIn(text, 'nodejs_heap_size_used_bytes') / MIB,
    descriptors: descriptorsOf({ child }),
    ...scheduledOf(child().pid),
    lateMs: 1_000 * valueIn(text, 'point_alarm_event_loop_delay_seconds_sum'),
    lateSeconds: above(text, 'point_alarm_event_loop_delay_seconds', '0.25'),
    longActivations: above(text, 'point_alarm_long_activations_seconds', '1'),
  };
};
