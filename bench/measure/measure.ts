import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Pace, Target, Window } from '../load/job';
import { startLoad } from '../load/start-load';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import type { Figures, Row } from './row';

/** One load on one stack. */
export interface Measurement {
  readonly section: string;
  readonly load: string;
  readonly side: string;
  readonly stack: BenchStack;
  readonly target: Target;
  readonly pace: Pace;
  /** Begins to look at something else; what it saw, once the load is over, goes to the figures. */
  readonly beside?: () => Promise<() => Promise<Figures>>;
}

/** Between two loads, so that what the first one left under way is over. */
const PAUSE_MS = 700;

/** Puts the load on, and notes what it showed. */
export const measure = async (bench: Bench, measurement: Measurement, round: number): Promise<Row> => {
  const { section, load, side, stack, target, pace, beside } = measurement;
  const { warmUpMs, windowMs } = bench.options;
  const watched = await beside?.();
  const { windows, faults } = await startLoad(jobOf({ target, pace, warmUpMs, windowMs }, stack), bench.ground);
  await sleep(PAUSE_MS);
  const figures = { ...windows.reduce((_, window) => figuresOf(window), {}), ...(await watched?.()) };
  const row = { section, load, side, round, figures };
  bench.note(row);
  const [fault] = Object.keys(faults);
  if (fault !== undefined) bench.say(`${section}, ${load}, ${side}: calls failed, for instance: ${fault}`);
  return row;
};

/** Every measurement once a round, in turn; every other round backwards, so that none of them always comes first. */
export const inRounds = async (bench: Bench, measurements: ReadonlyArray<Measurement>): Promise<ReadonlyArray<Row>> => {
  const rows: Row[] = [];
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    const order = round % 2 === 1 ? measurements : measurements.toReversed();
    for (const measurement of order) rows.push(await measure(bench, measurement, round));
  }
  return rows;
};

/** Processor time of a call in a part of the machine, ms. */
export const msACall = (figures: Figures, part: string): number =>
  ((figures[`cores ${part}`] ?? 0) * 1_000) / (figures['perSecond'] ?? NaN);

/** A job that watches all of `stack`. */
export const jobOf = (
  job: Pick<Job, 'target' | 'pace' | 'warmUpMs' | 'windowMs'> & Partial<Job>,
  { processes, files }: BenchStack,
): Job => ({ windows: 1, processes, files, ...job });

/** A window by the names that rows have. */
export const figuresOf = ({ perSecond, p50, p99, max, failed, cores, resident }: Window): Figures => ({
  ...{ perSecond, p50, p99, max, failed },
  ...named('cores', cores),
  ...named('resident', resident),
});

const named = (kind: string, parts: Figures): Figures =>
  Object.fromEntries(Object.entries(parts).map(([part, value]) => [`${kind} ${part}`, value]));
