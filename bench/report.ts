import type { Figures, Row } from './measure';

/** All that a run showed, as it is kept beside its tables. */
export interface Report {
  readonly mode: string;
  /** When it began, in UTC. */
  readonly at: string;
  readonly command: string;
  readonly machine: Machine;
  readonly rows: ReadonlyArray<Row>;
}

/** Where it ran. */
export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly system: string;
  /** Processes that wanted to run when it began, the mean of a minute: above a few tenths, others were at work. */
  readonly load: number;
  readonly versions: Readonly<Record<string, string>>;
}

/** One line about the machine. */
export const machineLine = ({ cores, model, memoryGiB, system, load, versions }: Machine): string =>
  `${cores} cores (${model}), ${memoryGiB} GiB, ${system}, load ${shown(load)} before. ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`;

/** The tables of a run in Markdown, by section. */
export const tablesOf = ({ rows }: Pick<Report, 'rows'>): Readonly<Record<string, string>> => {
  const summaries = summariesOf(rows);
  const goals = goalsTable(rows);
  const tables = Object.entries(columns).flatMap(([section, heads]) => {
    const own = summaries.filter((summary) => summary.section === section);
    const cellsOf = (summary: Summary) => heads.map((head) => cells[head]?.(summary, own) ?? '');
    return own.length === 0 ? [] : [[section, markdownTable(heads, own.map(cellsOf))]];
  });
  return { ...Object.fromEntries(tables), ...(goals !== undefined && { goals }) };
};

/** Of one summary, among all of its section. */
type Cell = (summary: Summary, section: ReadonlyArray<Summary>) => string;

const figure =
  (name: string, unit = '', scale = 1): Cell =>
  ({ figures }) =>
    shown(figures[name] === undefined ? undefined : figures[name] * scale, unit);

const megabytes = (name: string): Cell => figure(name, '', 1e-6);
const kilobytes = (name: string): Cell => figure(name, '', 1e-3);

/** What stands in a column, by its head. */
const cells: Readonly<Record<string, Cell>> = {
  Load: ({ load }) => load,
  Side: ({ side }) => side,
  'Calls/s': figure('perSecond'),
  // The rate as a share of the baseline's under the same load.
  'of the baseline': ({ load, side, figures: { perSecond } }, section) => {
    const baseline = section.find((other) => other.load === load && other.side === 'baseline')?.figures['perSecond'];
    const isNone = baseline === undefined || baseline === 0 || perSecond === undefined || side === 'baseline';
    return isNone ? '' : (perSecond / baseline).toFixed(2);
  },
  'p50 ms': figure('p50'),
  'p99 ms': figure('p99'),
  'max ms': figure('max'),
  'p99/p50': ({ figures: { p50 = 0, p99 } }) => (p50 === 0 || p99 === undefined ? '' : (p99 / p50).toFixed(1)),
  relayed: figure('relayed', ' %', 100),
  'new runs': figure('new runs'),
  changes: figure('changes'),
  'lag p50 ms': figure('lag p50'),
  'lag p99 ms': figure('lag p99'),
  'lag max ms': figure('lag max'),
  'call p50 ms': figure('p50'),
  'call p99 ms': figure('p99'),
  'with the first, MB': megabytes('before'),
  'with the second, MB': megabytes('after'),
  'KB per node': kilobytes('bytes a node'),
  'worker MB': megabytes('resident worker'),
  'API MB': megabytes('resident api'),
  'Temporal MB': megabytes('resident temporal'),
  'Redis MB': megabytes('resident redis'),
  'database MB': megabytes('file bytes'),
  'database KB per call': kilobytes('bytes a call'),
  'Cores used': ({ figures }) => coresIn(figures),
  Marks: ({ figures }) => marksOf(figures),
};

const TIMES = ['Calls/s', 'p50 ms', 'p99 ms'];
const COMPARED = ['Load', 'Side', 'Calls/s', 'of the baseline', 'p50 ms', 'p99 ms'];
const DOUBTS = ['Cores used', 'Marks'];

/** The columns of the table of each section. */
const columns: Readonly<Record<string, ReadonlyArray<string>>> = {
  spread: [...COMPARED, 'relayed', ...DOUBTS],
  hot: [...COMPARED, 'p99/p50', 'new runs', ...DOUBTS],
  spectra: [...COMPARED, ...DOUBTS],
  reads: [...COMPARED, ...DOUBTS],
  lag: ['Load', 'Calls/s', 'lag p50 ms', 'lag p99 ms', 'lag max ms', 'call p50 ms', 'call p99 ms', 'Marks'],
  staleness: ['Load', 'changes', 'p50 ms', 'p99 ms', 'max ms'],
  memory: ['Load', 'with the first, MB', 'with the second, MB', 'KB per node'],
  misses: ['Load', ...TIMES, ...DOUBTS],
  growth: ['Load', 'Side', ...TIMES, 'worker MB', 'Temporal MB', 'database KB per call', ...DOUBTS],
  soak: [...['Load', ...TIMES, 'worker MB', 'API MB', 'Temporal MB', 'Redis MB', 'database MB', 'new runs'], ...DOUBTS],
};

/** A figure of the first load of a section, on one side, whose name begins so. */
type Address = readonly [section: string, load: string, name: string, side?: string];

/** A goal of the main table: what it is of, by what it is divided. */
type Goal = readonly [
  what: string,
  bound: 'at least' | 'at most',
  wish: number,
  unit: string,
  of: Address,
  by?: Address,
];

/** The goals beside what was measured, as a Markdown table; undefined unless every one was measured. */
const goalsTable = (rows: ReadonlyArray<Row>): string | undefined => {
  const rounds = [...new Set(rows.map(({ round }) => round))];
  const measured = goals.map((goal) => {
    const [what, bound, wish, unit] = goal;
    const values = rounds.flatMap((round) => valueIn(rows, round, goal) ?? []);
    const reached = values.filter((value) => (bound === 'at least' ? value >= wish : value <= wish)).length;
    const verdict = reached === values.length ? 'yes' : reached === 0 ? 'no' : `in ${reached} of ${values.length}`;
    const texts = [shown(medianOf(values), unit), values.map((value) => shown(value)).join(', '), verdict];
    return values.length === 0 ? [] : [what, `${bound} ${shown(wish, unit)}`, ...texts];
  });
  if (measured.some((row) => row.length === 0)) return undefined;
  return markdownTable(['Goal', 'Target', 'Median', 'Rounds', 'Reached'], measured);
};

/** The value of a goal in one round; undefined: it was not measured. */
const valueIn = (rows: ReadonlyArray<Row>, round: number, [, , , unit, of, by]: Goal): number | undefined => {
  const figureAt = ([section, load, name, side = 'service']: Address): number | undefined => {
    const isIt = (row: Row): boolean => row.round === round && row.section === section && row.side === side;
    return rows.find((row) => isIt(row) && row.load.startsWith(load))?.figures[name];
  };
  const [above, below] = [figureAt(of), by === undefined ? 1 : figureAt(by)];
  return above === undefined || below === undefined ? undefined : (above * (unit === ' KB' ? 1e-3 : 1)) / below;
};

/** Calls a second as a share of the baseline's. */
const ofBaseline = (section: string, load: string, side = 'service', other = load): readonly [Address, Address] => [
  [section, load, 'perSecond', side],
  [section, other, 'perSecond', 'baseline'],
];

const ofOne = (callers: number, name: string): Address => ['hot', `1 node, ${callers} callers`, name];

const spreadGoals = (count: number): ReadonlyArray<Goal> => {
  const [what, load] = [`Measurements of ${count.toLocaleString('en')} nodes, of the baseline`, `${count} nodes`];
  return [
    [what, 'at least', 0.95, '', ...ofBaseline('spread', load)],
    ['The same, flapping', 'at least', 0.9, '', ...ofBaseline('spread', load, 'flapping')],
  ];
};

const CACHED = 'READS=cache';
const GET_STATUS = 'GET status, 64';

const goals: ReadonlyArray<Goal> = [
  ...[100, 300, 2_000].flatMap(spreadGoals),
  ['Spectra of 3,200 lines, of the baseline', 'at least', 0.9, '', ...ofBaseline('spectra', 'spectra')],
  ['One node, 16 callers', 'at least', 1_200, '/s', ofOne(16, 'perSecond')],
  ['One node, 64 callers', 'at least', 2_000, '/s', ofOne(64, 'perSecond')],
  ['One node, 16 callers, p99', 'at most', 60, ' ms', ofOne(16, 'p99')],
  ['One node, 64 callers, p99', 'at most', 60, ' ms', ofOne(64, 'p99')],
  // A continue-as-new must not show.
  ['One node, 16 callers, p99 by p50', 'at most', 6, '', ofOne(16, 'p99'), ofOne(16, 'p50')],
  ['One node, 64 callers, p99 by p50', 'at most', 6, '', ofOne(64, 'p99'), ofOne(64, 'p50')],
  ['GET status by queries, of the baseline', 'at least', 0.95, '', ...ofBaseline('reads', GET_STATUS)],
  [
    ...(['GET threshold by queries, of the baseline', 'at least', 0.95, ''] as const),
    ...ofBaseline('reads', 'GET threshold, 64', 'service', GET_STATUS),
  ],
  ['Batch of 100 by queries, p50', 'at most', 100, ' ms', ['reads', 'batch of 100,', 'p50']],
  ['GET status by the cache, of the baseline', 'at least', 10, '', ...ofBaseline('reads', GET_STATUS, CACHED)],
  ['Batch of 1,000 from the cache, p50', 'at most', 50, ' ms', ['reads', 'batch of 1000,', 'p50', CACHED]],
  ['Commit to stream, p50', 'at most', 15, ' ms', ['lag', '300 nodes, at half', 'lag p50']],
  ['Commit to stream, p99', 'at most', 100, ' ms', ['lag', '300 nodes, at half', 'lag p99']],
  ['Age of answers from the cache, p99', 'at most', 100, ' ms', ['staleness', 'beside', 'p99', CACHED]],
  ['20,000 nodes, 2,000 of them cached, failed calls', 'at most', 0, '', ['misses', '20000 nodes', 'failed']],
  ['Memory of a node', 'at most', 130, ' KB', ['memory', '', 'bytes a node']],
];

/** The rounds of one load on one side, as one. */
interface Summary {
  readonly section: string;
  readonly load: string;
  readonly side: string;
  /** The median of each figure. */
  readonly figures: Figures;
}

/** One summary a load and side, in the order of their first rows. */
const summariesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Summary> => {
  const firsts = rows.filter((row, place) => rows.findIndex((other) => isSame(row, other)) === place);
  return firsts.map((first) => {
    const group = rows.filter((row) => isSame(row, first));
    const { section, load, side } = first;
    const names = [...new Set(group.flatMap(({ figures }) => Object.keys(figures)))];
    const of = (name: string): ReadonlyArray<number> => group.flatMap(({ figures }) => figures[name] ?? []);
    const figures = Object.fromEntries(names.map((name) => [name, medianOf(of(name))]));
    return { section, load, side, figures };
  });
};

const isSame = (one: Row, other: Row): boolean =>
  one.section === other.section && one.load === other.load && one.side === other.side;

/** NaN when there is none. */
const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
};

const markdownTable = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
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
const PROCESSES = ['load', 'api', 'temporal', 'worker', 'baseline', 'redis', 'others'] as const;

/** Cores used by each process, such as `api 0.41, temporal 0.80`. Those that did next to nothing are left out. */
const coresIn = (figures: Figures): string =>
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
