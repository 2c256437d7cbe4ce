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

/** What the processes hold through the run, every `stepMinutes`, as a table of Markdown; a figure of one that was just killed is empty. */
export const curvesOf = (samples: ReadonlyArray<Sample>, stepMinutes: number): string => {
  const names = Object.keys(samples[0]?.processes ?? {});
  const shown = samples.filter(({ minute }) => Math.round(minute) % stepMinutes === 0);
  return [
    `| Minute | Events | ${names.map((name) => `${name} memory | ${name} heap | ${name} files`).join(' | ')} |`,
    `|---:|---:|${names.map(() => '---:|---:|---:|').join('')}`,
    ...shown.map(({ minute, events, processes }) => {
      const cells = names
        .map((name) => processes[name])
        .flatMap((one) => [one?.residentMiB.toFixed(0) ?? '', one?.heapMiB.toFixed(0) ?? '', one?.descriptors ?? '']);
      return `| ${minute.toFixed(0)} | ${events} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
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
