import { readdirSync } from 'node:fs';
import type { Running } from '../../stack/running';
import type { Stack } from '../chaos/stack/stack';
import type { StreamTail } from '../chaos/stack/stream-tail';

/** What a process has at a moment; nothing of one that was killed and does not answer yet. */
export interface ProcessSample {
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  /** Seconds so far in which its event loop was late by more than 250 ms. */
  readonly lateSeconds: number;
}

export interface Sample {
  readonly minute: number;
  readonly events: number;
  readonly processes: Readonly<Record<string, ProcessSample | undefined>>;
}

const MIB = 1_048_576;

/** The value of a series in Prometheus' text; the sum where there are several. */
export const valueIn = (text: string, name: string, labels = ''): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[{ ]/u.test(line.slice(name.length)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);

const processSample = async ({ url, child }: Running): Promise<ProcessSample | undefined> => {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.text(),
    () => undefined,
  );
  if (text === undefined) return undefined;
  const late = 'point_alarm_event_loop_delay_seconds';
  return {
    residentMiB: valueIn(text, 'process_resident_memory_bytes') / MIB,
    heapMiB: valueIn(text, 'nodejs_heap_size_used_bytes') / MIB,
    descriptors: readdirSync(`/proc/${child().pid}/fd`).length,
    lateSeconds: valueIn(text, `${late}_count`) - valueIn(text, `${late}_bucket`, 'le="0.25"'),
  };
};

export const sampleOf = async ({ apis, workers }: Stack, { entries }: StreamTail, minute: number): Promise<Sample> => {
  const all = [...apis, ...workers];
  const samples = await Promise.all(all.map(processSample));
  return {
    minute,
    events: entries.length,
    processes: Object.fromEntries(all.map(({ name }, index) => [name, samples[index]])),
  };
};

/** The samples as a table of Markdown. */
export const tableOf = (samples: ReadonlyArray<Sample>): string =>
  [
    '| Minute | Events | Process | Memory, MiB | Heap, MiB | Files open | Seconds late |',
    '|---:|---:|---|---:|---:|---:|---:|',
    ...samples.flatMap(({ minute, events, processes }) =>
      Object.entries(processes).map(([name, one]) => {
        const cells = one && [one.residentMiB.toFixed(0), one.heapMiB.toFixed(0), one.descriptors, one.lateSeconds];
        return `| ${minute.toFixed(0)} | ${events} | ${name} | ${(cells ?? ['', '', '', '']).join(' | ')} |`;
      }),
    ),
  ].join('\n');
