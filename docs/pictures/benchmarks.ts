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

/** Times of calls by the minute over the soak; the scale ends where single minutes would press the others flat. */
export const soakTimesPicture = (tables: string): string => {
  const values = (column: string) => minutesOf(tables).map((row) => numberIn(row, column));
  return linePicture({
    title: 'Times of calls by the minute; peaks above 600 are cut',
    unit: 'ms',
    most: 600,
    step: 'minute',
    lines: [
      { name: 'p99', colour: colours.alertLine, values: values('p99 ms') },
      { name: 'p50', colour: colours.service, values: values('p50 ms') },
    ],
  });
};

/** Memory of the processes by the minute over the soak. */
export const soakMemoryPicture = (tables: string): string => {
  const values = (column: string) => minutesOf(tables).map((row) => numberIn(row, column));
  return linePicture({
    title: 'Resident memory by the minute',
    unit: 'MB',
    most: 400,
    step: 'minute',
    lines: [
      { name: 'Temporal', colour: colours.baseline, values: values('Temporal MB') },
      { name: 'worker', colour: colours.service, values: values('worker MB') },
      { name: 'API', colour: colours.goodLine, values: values('API MB') },
      { name: 'Redis', colour: colours.dangerLine, values: values('Redis MB') },
    ],
  });
};
