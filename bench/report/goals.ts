import type { Figures, Row } from '../measure/row';
import { shown, tableOf } from './cell';
import { medianOf } from './summary';

/** What a figure of the main table is wished to be. */
interface Goal {
  readonly what: string;
  readonly bound: 'at least' | 'at most';
  readonly wish: number;
  readonly unit: string;
  /** The figure in one round; absent: it was not measured. */
  readonly of: (figuresOf: FiguresOf) => number | undefined;
}

/** What a side showed in the round under a load whose name begins so. */
type FiguresOf = (section: string, load: string, side: string) => Figures | undefined;

/** The goals beside what was measured, as a Markdown table; nothing unless every one was measured. */
export const goalsTable = (rows: ReadonlyArray<Row>): string | undefined => {
  const rounds = [...new Set(rows.map(({ round }) => round))];
  const measured = goals.map((goal) => ({
    goal,
    values: rounds.flatMap((round) => goal.of(inRound(rows, round)) ?? []),
  }));
  if (measured.some(({ values }) => values.length === 0)) return undefined;
  return tableOf(
    [
      { head: 'Goal', cell: ({ goal }) => goal.what },
      { head: 'Wished', cell: ({ goal: { bound, wish, unit } }) => `${bound} ${shown(wish, unit)}` },
      { head: 'Median', cell: ({ goal, values }) => shown(medianOf(values), goal.unit) },
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

const reachedIn = ({ bound, wish }: Goal, values: ReadonlyArray<number>): string => {
  const reached = values.filter((value) => (bound === 'at least' ? value >= wish : value <= wish)).length;
  if (reached === values.length) return 'yes';
  return reached === 0 ? 'no' : `in ${reached} of ${values.length}`;
};

/** Calls a second beside the floor's. */
const ofTheFloor = (
  what: string,
  wish: number,
  [section, load, side = 'service']: readonly [section: string, load: string, side?: string],
  floorLoad = load,
): Goal => ({
  ...{ what, bound: 'at least', wish, unit: '' },
  of: (figuresOf) => {
    const [own, floor] = [figuresOf(section, load, side), figuresOf(section, floorLoad, 'floor')];
    return own && floor && (own['perSecond'] ?? NaN) / (floor['perSecond'] ?? NaN);
  },
});

const atMost = (
  what: string,
  wish: number,
  [section, load, side = 'service']: readonly [section: string, load: string, side?: string],
  [name, unit, scale = 1]: readonly [figure: string, unit: string, scale?: number],
): Goal => ({
  ...{ what, bound: 'at most', wish, unit },
  of: (figuresOf) => {
    const value = figuresOf(section, load, side)?.[name];
    return value === undefined ? undefined : value * scale;
  },
});

const ms = (name: string) => [name, ' ms'] as const;

/** p99 as a multiple of p50: a renewal must not show. */
const tail = (what: string, wish: number, load: string): Goal => ({
  ...{ what, bound: 'at most', wish, unit: '' },
  of: (figuresOf) => {
    const figures = figuresOf('hot', load, 'service');
    return figures && (figures['p99'] ?? NaN) / (figures['p50'] ?? NaN);
  },
});

const goals: ReadonlyArray<Goal> = [
  ofTheFloor('Measurements of 300 nodes, of the floor', 0.95, ['spread', '300 nodes']),
  ofTheFloor('Measurements of 2,000 nodes, of the floor', 0.95, ['spread', '2000 nodes']),
  ofTheFloor('One node, 16 callers, of the floor', 3, ['hot', '1 node, 16 callers']),
  ofTheFloor('One node, 64 callers, of the floor', 8, ['hot', '1 node, 64 callers']),
  atMost('One node, 16 callers, p99', 100, ['hot', '1 node, 16 callers'], ms('p99')),
  atMost('One node, 64 callers, p99', 100, ['hot', '1 node, 64 callers'], ms('p99')),
  tail('One node, 16 callers, p99 by p50, with renewals', 6, '1 node, 16 callers'),
  tail('One node, 64 callers, p99 by p50, with renewals', 6, '1 node, 64 callers'),
  ofTheFloor('GET status by queries, of the floor', 0.9, ['reads', 'GET status, 64']),
  ofTheFloor('GET threshold by queries, of the floor', 0.9, ['reads', 'GET threshold, 64'], 'GET status, 64'),
  atMost('Batch of 100 by queries, p50', 400, ['reads', 'batch of 100,'], ms('p50')),
  ofTheFloor('GET status from memory, of the floor', 10, ['reads', 'GET status, 64', 'READS=memory']),
  atMost('Batch of 1,000 from memory, p50', 50, ['reads', 'batch of 1000,', 'READS=memory'], ms('p50')),
  atMost('Commit to stream, p50', 15, ['lag', '300 nodes, at half'], ms('lag p50')),
  atMost('Commit to stream, p99', 100, ['lag', '300 nodes, at half'], ms('lag p99')),
  atMost('Age of answers from memory, p99', 100, ['staleness', 'beside', 'READS=memory'], ms('p99')),
  atMost('20,000 nodes, 2,000 of them kept, failed calls', 0, ['misses', '20000 nodes'], ['failed', '']),
  atMost('Memory of a node', 220, ['memory', ''], ['bytes a node', ' KB', 1e-3]),
  atMost('Start, until ready', 10, ['start', ''], ['seconds', ' s']),
];
