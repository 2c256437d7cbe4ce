import type { Stack } from '../chaos/stack/stack';
import type { StreamTail } from '../chaos/stack/stream-tail';
import { sampleProcess, type ProcessSample } from '../support/process-sample';

export interface Sample {
  readonly minute: number;
  readonly events: number;
  readonly processes: Readonly<Record<string, ProcessSample | undefined>>;
}

export const sampleOf = async ({ apis, workers }: Stack, { entries }: StreamTail, minute: number): Promise<Sample> => {
  const all = [...apis, ...workers];
  const samples = await Promise.all(all.map(sampleProcess));
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
