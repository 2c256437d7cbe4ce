import type { Figures } from '../measure/measure';

/** A column of a table: its head, and its cell of a row. */
export interface Column<A> {
  readonly head: string;
  readonly cell: (row: A) => string;
}

/** A Markdown table. */
export const tableOf = <A>(columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>): string =>
  [
    columns.map(({ head }) => head),
    columns.map((_, index) => (index === 0 ? '---' : '---:')),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** A number as people read it; empty for none. */
export const shown = (value: number | undefined, unit = ''): string => {
  if (value === undefined || Number.isNaN(value)) return '';
  if (value === Infinity) return '∞';
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit}`;
};

/** The processes whose use of the machine is shown, in the order of a call's way. */
export const PROCESSES = ['load', 'api', 'temporal', 'worker', 'baseline', 'redis', 'others'] as const;

/** Cores used by each process, such as `api 0.41, temporal 0.80`. Those that did next to nothing are left out. */
export const coresIn = (figures: Figures): string =>
  PROCESSES.flatMap((name) => {
    const cores = figures[`cores ${name}`];
    return cores === undefined || cores < 0.02 ? [] : [`${name} ${cores.toFixed(2)}`];
  }).join(', ');

/** A generator that is busier than this may be what is measured. */
const BUSY = 0.8;
/** Others that take more than this of a core disturb. */
const DISTURBING = 0.2;

/** The doubts about a row: failed calls, a busy generator, other programs. */
export const marksOf = (figures: Figures): string =>
  [
    ...((figures['failed'] ?? 0) > 0 ? [`${shown(figures['failed'])} failed`] : []),
    ...((figures['cores load'] ?? 0) > BUSY ? ['the load generator was busy'] : []),
    ...((figures['cores others'] ?? 0) > DISTURBING ? [`others took ${shown(figures['cores others'])} cores`] : []),
  ].join('; ');
