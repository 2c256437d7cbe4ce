import * as NEA from 'fp-ts/NonEmptyArray';
import type { Figures } from './load';
import type { Row } from './measure';

const TIMES = ['Calls/s', 'p50 ms', 'p99 ms'];
const DOUBTS = ['Cores used', 'Marks'];
const COMPARED = ['Load', 'Side', 'Calls/s', 'of the baseline', 'p50 ms', 'p99 ms'];
const MEMORY = ['worker MB', 'API MB', 'Temporal MB', 'Redis MB', 'database MB'];

/** The columns of each section's table. Each is a figure of a row, or what `cells` makes of the row. */
const columns: Readonly<Record<string, ReadonlyArray<string>>> = {
  spread: [...COMPARED, ...DOUBTS],
  compare: [...COMPARED, ...DOUBTS],
  hot: [...COMPARED, 'p99/p50', 'new runs', ...DOUBTS],
  reads: [...COMPARED, ...DOUBTS],
  lag: ['Load', ...TIMES, 'lag p50 ms', 'lag p99 ms', 'lag max ms', 'Marks'],
  memory: ['Load', 'with the first, MB', 'with the second, MB', 'KB per node'],
  misses: ['Load', ...TIMES, ...DOUBTS],
  growth: ['Load', 'Side', ...TIMES, 'worker MB', 'Temporal MB', 'database KB per call', ...DOUBTS],
  soak: ['Load', ...TIMES, ...MEMORY, 'new runs', ...DOUBTS],
  // Between `Calls/s` and `ms` stands a column for each process.
  cost: ['Load', 'Side', 'Calls/s', 'ms', 'p50 ms', 'p99 ms', 'Marks'],
};

const cells: Readonly<Record<string, (row: Row) => string>> = {
  Load: ({ load }) => load,
  Side: ({ side }) => side,
  'Cores used': ({ figures }) => coresIn(figures),
  Marks: ({ figures }) => marksOf(figures),
};

export const tablesOf = (rows: ReadonlyArray<Row>): Readonly<Record<string, string>> => {
  const loads = groupsOf(rows.map((row) => withCost(withShare(row, rows)))).map(mediansOf);
  const measured = Object.entries(columns).filter(([section]) => loads.some((row) => row.section === section));
  const tables = measured.map(([section, columnsOfAll]) => {
    const rowsOfSection = loads.filter((row) => row.section === section);
    const processes = new Set(rowsOfSection.flatMap(({ figures }) => Object.keys(costsIn(figures))));
    const heads = columnsOfAll.flatMap((head) => (head === 'ms' ? [...processes, head] : [head]));
    const cellsOf = (row: Row) => {
      const figures: Figures = { ...row.figures, ...costsIn(row.figures) };
      return heads.map((head) => cells[head]?.(row) ?? formatNumber(figures[head]));
    };
    return [section, markdownTable(heads, rowsOfSection.map(cellsOf))];
  });
  return Object.fromEntries(tables);
};

/** Adds to a row its rate as a share of the baseline's rate under the same load in the same round. */
const withShare = (row: Row, rows: ReadonlyArray<Row>): Row => {
  const { section, load, side, round, figures } = row;
  const isBaseline = (other: Row): boolean =>
    other.section === section && other.load === load && other.round === round && other.side === 'baseline';
  const [rate, base] = [figures['Calls/s'], rows.find(isBaseline)?.figures['Calls/s']];
  if (side === 'baseline' || rate === undefined || base === undefined) return row;
  return { ...row, figures: { ...figures, 'of the baseline': rate / base } };
};

/** Adds to a row the processor time (ms) of all processes, per call or per second without calls. */
const withCost = (row: Row): Row => {
  const ms = Object.values(costsIn(row.figures)).reduce((sum, one) => sum + one, 0);
  return { ...row, figures: { ...row.figures, ms } };
};

/** The rows of all rounds of each load and side, in the order of their first rows. */
const groupsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<NEA.NonEmptyArray<Row>> =>
  Object.values(NEA.groupBy(({ section, load, side }: Row) => JSON.stringify([section, load, side]))([...rows]));

/** The median of each figure, and the greatest number of failed calls and use by other programs. */
const mediansOf = (group: NEA.NonEmptyArray<Row>): Row => {
  const names = [...new Set(group.flatMap(({ figures }) => Object.keys(figures)))];
  const figures = names.map((name) => {
    const values = group.flatMap((row) => row.figures[name] ?? []);
    return [name, DOUBTFUL.has(name) ? Math.max(...values) : medianOf(values)] as const;
  });
  return { ...group[0], figures: Object.fromEntries(figures) };
};
const DOUBTFUL: ReadonlySet<string> = new Set(['failed', 'cores others']);

const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
};

const markdownTable = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

/** A number as text with few digits; empty if there is no number. */
export const formatNumber = (value: number | undefined): string => {
  if (value === undefined || Number.isNaN(value)) return '';
  if (value === Infinity) return '∞';
  const size = Math.abs(value);
  const digits = size >= 99.95 || Number.isInteger(value) ? 0 : size >= 9.995 ? 1 : 2;
  return value.toFixed(digits);
};

/** Cores used by each process, such as `API 0.41, Temporal 0.80`. Processes that did next to nothing are left out. */
const coresIn = (figures: Figures): string =>
  Object.entries(figures)
    .filter(([name, cores]) => name.startsWith('cores ') && cores >= 0.02)
    .map(([name, cores]) => `${name.slice('cores '.length)} ${cores.toFixed(2)}`)
    .join(', ');

/** Processor time (ms) per call, or per second without calls, by process. Load generator and other programs are left out. */
const costsIn = (figures: Figures): Figures => {
  const { 'Calls/s': rate = 0 } = figures;
  const cores = Object.entries(figures).filter(([name]) => name.startsWith('cores ') && !OUTSIDE.has(name));
  return Object.fromEntries(
    cores.map(([name, used]) => [name.slice('cores '.length), (1_000 * used) / (rate > 0 ? rate : 1)]),
  );
};
const OUTSIDE: ReadonlySet<string> = new Set(['cores load', 'cores others']);

/** If the load generator uses more cores than this, it may limit the rate itself. */
const BUSY = 0.8;
/** If other programs use more cores than this, they disturb the measurement. */
const DISTURBING = 0.2;

/** The reasons to doubt a row: failed calls, a busy load generator, other programs. */
const marksOf = ({ failed = 0, 'cores load': load = 0, 'cores others': others = 0 }: Figures): string =>
  [
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(load > BUSY ? ['the load generator was busy'] : []),
    ...(others > DISTURBING ? [`others took ${formatNumber(others)} cores`] : []),
  ].join('; ');

export const rowLine = ({ section, load, side, round, figures }: Row): string => {
  const texts = Object.entries(figures)
    .filter(([name]) => !/^(?:cores|database|failed|max)| MB$/u.test(name))
    .map(([name, value]) => `${name} ${formatNumber(value)}`);
  const marks = marksOf(figures);
  return `${section}, ${load}, ${side}, round ${round}: ${[...texts, ...(marks === '' ? [] : [marks])].join(', ')}`;
};
