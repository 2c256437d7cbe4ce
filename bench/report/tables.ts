import { coresIn, marksOf, PROCESSES, shown, tableOf, type Column } from './cell';
import { goalsTable } from './goals';
import type { Report } from './report';
import { summariesOf, type Summary } from './summary';

/** The tables of a run in Markdown, by section. */
export const tablesOf = ({ rows }: Pick<Report, 'rows'>): Readonly<Record<string, string>> => {
  const summaries = summariesOf(rows);
  const goals = goalsTable(rows);
  const tables = Object.fromEntries(
    Object.entries(columnsOf(summaries)).flatMap(([section, columns]) => {
      const of = summaries.filter((summary) => summary.section === section);
      return of.length === 0 ? [] : [[section, tableOf(columns, of)]];
    }),
  );
  return { ...tables, ...(goals !== undefined && { goals }) };
};

type Columns = ReadonlyArray<Column<Summary>>;

const figure = (head: string, name: string, unit = '', scale = 1): Column<Summary> => ({
  head,
  cell: ({ figures }) => shown(figures[name] === undefined ? undefined : figures[name] * scale, unit),
});

const load: Column<Summary> = { head: 'Load', cell: ({ load: text }) => text };
const side: Column<Summary> = { head: 'Side', cell: ({ side: text }) => text };
const perSecond = figure('Calls/s', 'perSecond');
const times: Columns = [figure('p50 ms', 'p50'), figure('p99 ms', 'p99')];
const cores: Column<Summary> = { head: 'Cores used', cell: ({ figures }) => coresIn(figures) };
const marks: Column<Summary> = { head: 'Marks', cell: ({ figures }) => marksOf(figures) };

/** The rate as a share of the baseline's under the same load. */
const ofBaseline = (summaries: ReadonlyArray<Summary>): Column<Summary> => ({
  head: 'of the baseline',
  cell: ({ section, load: text, side: own, figures }) => {
    const isBaseline = (other: Summary): boolean =>
      other.section === section && other.load === text && other.side === 'baseline';
    const [rate, baseline] = [figures['perSecond'], summaries.find(isBaseline)?.figures['perSecond'] ?? 0];
    return baseline === 0 || rate === undefined || own === 'baseline' ? '' : (rate / baseline).toFixed(2);
  },
});

const columnsOf = (summaries: ReadonlyArray<Summary>): Readonly<Record<string, Columns>> => {
  const share = ofBaseline(summaries);
  return {
    spread: [load, side, perSecond, share, ...times, figure('relayed', 'relayed', ' %', 100), cores, marks],
    hot: [load, side, perSecond, share, ...times, spreadOfTimes, figure('new runs', 'new runs'), cores, marks],
    spectra: [load, side, perSecond, share, ...times, cores, marks],
    reads: [load, side, perSecond, share, ...times, cores, marks],
    lag: [
      ...[load, perSecond, figure('lag p50 ms', 'lag p50'), figure('lag p99 ms', 'lag p99')],
      ...[figure('lag max ms', 'lag max'), figure('call p50 ms', 'p50'), figure('call p99 ms', 'p99'), marks],
    ],
    staleness: [load, figure('changes', 'changes'), ...times, figure('max ms', 'max')],
    memory: [
      load,
      figure('with the first, MB', 'before', '', 1e-6),
      figure('with the second, MB', 'after', '', 1e-6),
      figure('KB per node', 'bytes a node', '', 1e-3),
    ],
    misses: [load, perSecond, ...times, cores, marks],
    start: [load, figure('seconds', 'seconds')],
    steps: [load, { ...side, head: 'Step' }, ...times],
    processes: [
      ...[load, side, perSecond],
      ...PROCESSES.filter((name) => name !== 'others').map((name) => figure(`${name} ms`, `ms ${name}`)),
      marks,
    ],
    growth: [
      ...[load, side, perSecond, ...times, figure('worker MB', 'resident worker', '', 1e-6)],
      ...[
        figure('Temporal MB', 'resident temporal', '', 1e-6),
        figure('database KB per call', 'bytes a call', '', 1e-3),
      ],
      ...[cores, marks],
    ],
    soak: [
      ...[load, perSecond, ...times, figure('worker MB', 'resident worker', '', 1e-6)],
      ...[figure('API MB', 'resident api', '', 1e-6), figure('Temporal MB', 'resident temporal', '', 1e-6)],
      ...[figure('Redis MB', 'resident redis', '', 1e-6), figure('database MB', 'file bytes', '', 1e-6)],
      ...[figure('new runs', 'new runs'), cores, marks],
    ],
  };
};

const spreadOfTimes: Column<Summary> = {
  head: 'p99/p50',
  cell: ({ figures: { p50, p99 } }) =>
    p50 === undefined || p50 === 0 || p99 === undefined ? '' : (p99 / p50).toFixed(1),
};
