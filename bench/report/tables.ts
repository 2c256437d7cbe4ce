import { coresIn, marksOf, PARTS, shown, tableOf, type Column } from './cell';
import { goalsTable } from './goals';
import type { Machine, Report } from './report';
import { besides, summariesOf, type Summary } from './summary';

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

/** One line about the machine. */
export const machineLine = ({ cores, model, memoryGiB, system, load, versions }: Machine): string =>
  `${cores} cores (${model}), ${memoryGiB} GiB, ${system}, load ${shown(load)} before; ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`;

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

/** The rate as a share of another side's of the same load. */
const share = (head: string, of: string, summaries: ReadonlyArray<Summary>): Column<Summary> => ({
  head,
  cell: (summary) => {
    const other = besides(summary, of, summaries)?.figures['perSecond'];
    const own = summary.figures['perSecond'];
    return other === undefined || other === 0 || own === undefined || summary.side === of
      ? ''
      : (own / other).toFixed(2);
  },
});

const columnsOf = (summaries: ReadonlyArray<Summary>): Readonly<Record<string, Columns>> => {
  const ofFloor = share('of the floor', 'floor', summaries);
  return {
    spread: [load, side, perSecond, ofFloor, ...times, figure('pushed', 'pushed', ' %', 100), cores, marks],
    hot: [load, side, perSecond, ofFloor, ...times, spreadOfTimes, figure('renewals', 'renewals'), cores, marks],
    reads: [load, side, perSecond, ofFloor, ...times, cores, marks],
    lag: [
      ...[load, perSecond, figure('lag p50 ms', 'lag p50'), figure('lag p99 ms', 'lag p99')],
      ...[figure('lag max ms', 'lag max'), figure('call p50 ms', 'p50'), figure('call p99 ms', 'p99'), marks],
    ],
    staleness: [load, figure('changes', 'changes'), ...times, figure('max ms', 'max')],
    memory: [
      load,
      figure('with the first, MB', 'before', '', 1e-6),
      figure('with the second, MB', 'after', '', 1e-6),
      figure('KB a node', 'bytes a node', '', 1e-3),
    ],
    misses: [load, perSecond, ...times, cores, marks],
    start: [load, figure('seconds', 'seconds')],
    levers: [
      ...[load, side, perSecond, share('of the default', 'default', summaries), ...times],
      ...[figure('CPU ms a call', 'cpu a call'), cores, marks],
    ],
    steps: [load, { ...side, head: 'Step' }, ...times],
    processes: [
      ...[load, side, perSecond],
      ...PARTS.filter((part) => part !== 'others').map((part) => figure(`${part} ms`, `ms ${part}`)),
      marks,
    ],
    code: [
      ...[
        { ...load, head: 'Thread' },
        { ...side, head: 'Code' },
      ],
      ...[figure('of its work', 'share', ' %', 100), figure('of the time', 'share of time', ' %', 100)],
    ],
    growth: [
      ...[load, side, perSecond, ...times, figure('worker MB', 'resident worker', '', 1e-6)],
      ...[figure('Temporal MB', 'resident temporal', '', 1e-6), figure('database KB a call', 'bytes a call', '', 1e-3)],
      ...[cores, marks],
    ],
    soak: [
      ...[load, perSecond, ...times, figure('worker MB', 'resident worker', '', 1e-6)],
      ...[figure('API MB', 'resident api', '', 1e-6), figure('Temporal MB', 'resident temporal', '', 1e-6)],
      ...[figure('Redis MB', 'resident redis', '', 1e-6), figure('database MB', 'file bytes', '', 1e-6)],
      ...[figure('renewals', 'renewals'), cores, marks],
    ],
  };
};

const spreadOfTimes: Column<Summary> = {
  head: 'p99/p50',
  cell: ({ figures: { p50, p99 } }) =>
    p50 === undefined || p50 === 0 || p99 === undefined ? '' : (p99 / p50).toFixed(1),
};
