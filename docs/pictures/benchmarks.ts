import { barPicture, linePicture, type Bar } from './charts';
import { colours } from './svg';
import { numberIn, rowsOf, type Row } from './tables';

const rate = 'Calls/s';

/** The bars of the rows under `load`: the baseline first, then the service. */
const barsOf = (rows: ReadonlyArray<Row>, load: string): ReadonlyArray<Bar> =>
  rows
    .filter((row) => row['Load'] === load)
    .map((row) => ({
      label: (row['Side'] ?? '').replace('baseline', 'plain Temporal'),
      value: numberIn(row, rate),
      colour: row['Side']?.startsWith('baseline') === true ? colours.baseline : colours.service,
    }));

const loadsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => [...new Set(rows.map((row) => row['Load'] ?? ''))];

/** Measurements per second of many nodes, beside the baseline. */
export const spreadPicture = (tables: string): string => {
  const rows = rowsOf(tables, 'spread');
  return barPicture({
    title: 'Measurements of many nodes',
    unit: 'per second',
    groups: loadsOf(rows).map((name) => ({ name, bars: barsOf(rows, name) })),
  });
};

/** Measurements per second of one node, beside the baseline. */
export const hotPicture = (tables: string): string => {
  const rows = rowsOf(tables, 'hot');
  return barPicture({
    title: 'Measurements of one node',
    unit: 'per second',
    groups: loadsOf(rows).map((name) => ({ name, bars: barsOf(rows, name) })),
  });
};

/** Reads per second: by queries, and from the read cache. */
export const readsPicture = (tables: string): string => {
  const rows = rowsOf(tables, 'reads');
  return barPicture({
    title: 'Reads of the status',
    unit: 'per second',
    groups: ['GET status, 64 callers', 'GET status of one node, 64 callers'].map((name) => ({
      name,
      bars: barsOf(rows, name),
    })),
  });
};

/** Times from commit to stream at half of the greatest rate, with their goals. */
export const lagPicture = (tables: string): string => {
  const row = rowsOf(tables, 'lag').find((each) => each['lag p50 ms'] !== '');
  const goals = rowsOf(tables, 'goals');
  const goal = (name: string): number =>
    Number(/[\d.]+/u.exec(goals.find((each) => each['Goal'] === name)?.['Target'] ?? '')?.[0]);
  return barPicture({
    title: 'From commit to stream, at half of the greatest rate',
    unit: 'ms',
    groups: (['p50', 'p99'] as const).map((name) => ({
      name,
      bars: [{ label: 'service', value: numberIn(row, `lag ${name} ms`), colour: colours.service }],
      goal: goal(`Commit to stream, ${name}`),
    })),
  });
};

const minutesOf = (tables: string): ReadonlyArray<Row> =>
  rowsOf(tables, 'soak').filter((row) => /^minute /u.test(row['Load'] ?? ''));

/** A chart of the soak, each line of a column by the minute. */
const soakPicture = (
  tables: string,
  { title, unit, columns }: Readonly<Record<'title' | 'unit', string>> & { readonly columns: Columns },
): string => {
  const lines = columns.map(([name, column, colour]) => ({
    ...{ name, colour },
    values: minutesOf(tables).map((row) => numberIn(row, column)),
  }));
  const most = Math.ceil(Math.max(...lines.flatMap(({ values }) => values)) / SCALE_STEP) * SCALE_STEP;
  return linePicture({ title, unit, most, step: 'minute', lines });
};

/** A line's name, column and colour. */
type Columns = ReadonlyArray<readonly [name: string, column: string, colour: string]>;

const SCALE_STEP = 200;

/** Times of calls by the minute over the soak. */
export const soakTimesPicture = (tables: string): string =>
  soakPicture(tables, {
    title: 'Times of calls by the minute',
    unit: 'ms',
    columns: [
      ['p99', 'p99 ms', colours.alertLine],
      ['p50', 'p50 ms', colours.service],
    ],
  });

/** Memory of the processes by the minute over the soak. */
export const soakMemoryPicture = (tables: string): string =>
  soakPicture(tables, {
    title: 'Resident memory by the minute',
    unit: 'MB',
    columns: [
      ['Temporal', 'Temporal MB', colours.baseline],
      ['worker', 'worker MB', colours.service],
      ['API', 'API MB', colours.goodLine],
      ['Redis', 'Redis MB', colours.dangerLine],
    ],
  });
