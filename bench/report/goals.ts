import type { Figures, Row } from '../measure/measure';
import { shown, tableOf } from './cell';
import { medianOf } from './summary';

/** The goal of a figure of the main table. */
type Goal = readonly [what: string, bound: 'at least' | 'at most', wish: number, unit: string, value: Value];

/** A figure in one round; undefined: it was not measured. */
type Value = (figuresOf: FiguresOf) => number | undefined;

/** What a side showed in the round under a load whose name begins so. */
type FiguresOf = (section: string, load: string, side: string) => Figures | undefined;

/** The goals beside what was measured, as a Markdown table; undefined unless every one was measured. */
export const goalsTable = (rows: ReadonlyArray<Row>): string | undefined => {
  const rounds = [...new Set(rows.map(({ round }) => round))];
  const measured = goals.map((goal) => ({
    goal,
    values: rounds.flatMap((round) => goal[4](inRound(rows, round)) ?? []),
  }));
  if (measured.some(({ values }) => values.length === 0)) return undefined;
  return tableOf(
    [
      { head: 'Goal', cell: ({ goal: [what] }) => what },
      { head: 'Target', cell: ({ goal: [, bound, wish, unit] }) => `${bound} ${shown(wish, unit)}` },
      { head: 'Median', cell: ({ goal: [, , , unit], values }) => shown(medianOf(values), unit) },
      { head: 'Rounds', cell: ({ values }) => values.map((value) => shown(value)).join(', ') },
      { head: 'Reached', cell: ({ goal, values }) => reachedIn(goal, values) },
    ],
    measured,
  );
};

const inRound =
  (rows: ReadonlyArray<Row>, round: number): FiguresOf =>
  (section, load, side) =>
    rows.find((row) => row.round === round && row.section === section && row.side === side && row.load.startsWith(load))
      ?.figures;

const reachedIn = ([, bound, wish]: Goal, values: ReadonlyArray<number>): string => {
  const reached = values.filter((value) => (bound === 'at least' ? value >= wish : value <= wish)).length;
  if (reached === values.length) return 'yes';
  return reached === 0 ? 'no' : `in ${reached} of ${values.length}`;
};

const of =
  (section: string, load: string, name: string, { side = 'service', scale = 1 } = {}): Value =>
  (figuresOf) => {
    const value = figuresOf(section, load, side)?.[name];
    return value === undefined ? undefined : value * scale;
  };

const ratio =
  (one: Value, other: Value): Value =>
  (figuresOf) => {
    const [above, below] = [one(figuresOf), other(figuresOf)];
    return above === undefined || below === undefined ? undefined : above / below;
  };

/** Calls a second as a share of the baseline's. */
const ofBaseline = (section: string, load: string, side = 'service', baselineLoad = load): Value =>
  ratio(of(section, load, 'perSecond', { side }), of(section, baselineLoad, 'perSecond', { side: 'baseline' }));

/** p99 as a multiple of p50: a continue-as-new must not show. */
const tail = (load: string): Value => ratio(of('hot', load, 'p99'), of('hot', load, 'p50'));

const FLAPPING = 'flapping';
const cached = { side: 'READS=cache' };

const spreadGoals = (count: number): ReadonlyArray<Goal> => [
  [
    `Measurements of ${count.toLocaleString('en')} nodes, of the baseline`,
    'at least',
    0.95,
    '',
    ofBaseline('spread', `${count} nodes`),
  ],
  ['The same, flapping', 'at least', 0.9, '', ofBaseline('spread', `${count} nodes`, FLAPPING)],
];

const goals: ReadonlyArray<Goal> = [
  ...[100, 300, 2_000].flatMap(spreadGoals),
  ['Spectra of 3,200 lines, of the baseline', 'at least', 0.9, '', ofBaseline('spectra', 'spectra')],
  ['One node, 16 callers', 'at least', 1_200, '/s', of('hot', '1 node, 16 callers', 'perSecond')],
  ['One node, 64 callers', 'at least', 2_000, '/s', of('hot', '1 node, 64 callers', 'perSecond')],
  ['One node, 16 callers, p99', 'at most', 60, ' ms', of('hot', '1 node, 16 callers', 'p99')],
  ['One node, 64 callers, p99', 'at most', 60, ' ms', of('hot', '1 node, 64 callers', 'p99')],
  ['One node, 16 callers, p99 by p50', 'at most', 6, '', tail('1 node, 16 callers')],
  ['One node, 64 callers, p99 by p50', 'at most', 6, '', tail('1 node, 64 callers')],
  ['GET status by queries, of the baseline', 'at least', 0.95, '', ofBaseline('reads', 'GET status, 64')],
  [
    ...(['GET threshold by queries, of the baseline', 'at least', 0.95, ''] as const),
    ofBaseline('reads', 'GET threshold, 64', 'service', 'GET status, 64'),
  ],
  ['Batch of 100 by queries, p50', 'at most', 100, ' ms', of('reads', 'batch of 100,', 'p50')],
  ['GET status by the cache, of the baseline', 'at least', 10, '', ofBaseline('reads', 'GET status, 64', cached.side)],
  ['Batch of 1,000 from the cache, p50', 'at most', 50, ' ms', of('reads', 'batch of 1000,', 'p50', cached)],
  ['Commit to stream, p50', 'at most', 15, ' ms', of('lag', '300 nodes, at half', 'lag p50')],
  ['Commit to stream, p99', 'at most', 100, ' ms', of('lag', '300 nodes, at half', 'lag p99')],
  ['Age of answers from the cache, p99', 'at most', 100, ' ms', of('staleness', 'beside', 'p99', cached)],
  ['20,000 nodes, 2,000 of them cached, failed calls', 'at most', 0, '', of('misses', '20000 nodes', 'failed')],
  ['Memory of a node', 'at most', 130, ' KB', of('memory', '', 'bytes a node', { scale: 1e-3 })],
  ['Start, until ready', 'at most', 10, ' s', of('start', '', 'seconds')],
];
