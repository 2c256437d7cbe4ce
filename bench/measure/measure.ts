import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Pattern, Target, Window } from '../load/job';
import { startLoad } from '../load/start-load';
import type { BenchOptions } from '../options';
import { startBenchStack, type BenchGround, type BenchStack, type StackPlan } from '../bench-stack';

/** The context of a measurement. */
export interface Bench {
  readonly options: BenchOptions;
  readonly ground: BenchGround;
  readonly say: (line: string) => void;
  /** Keeps a row for the report, and shows it. */
  readonly note: (row: Row) => void;
}

/** The figures of one measurement in one round. */
export interface Row {
  readonly section: string;
  /** What was done, such as `300 nodes, 64 callers`. */
  readonly load: string;
  /** `service`, `baseline`, or the variant that was measured. */
  readonly side: string;
  readonly round: number;
  readonly figures: Figures;
}

/**
 * Numbers by name: `perSecond`, `p50`, `p99`, `max` (ms), `failed`, `cores <process>`, `resident <process>` (bytes), and
 * those of a section's own.
 */
export type Figures = Readonly<Record<string, number>>;

/** One load on one stack. */
export interface Measurement {
  readonly section: string;
  readonly load: string;
  readonly side: string;
  readonly stack: BenchStack;
  readonly target: Target;
  readonly pattern: Pattern;
  /** Brings what is measured into the state that the load begins with. */
  readonly before?: () => Promise<void>;
  /** Starts another observation, whose figures are added after the load. */
  readonly beside?: () => Promise<() => Promise<Figures>>;
}

/** Callers of most loads. */
export const CALLERS = 64;

export const closed = (callers: number = CALLERS): Pattern => ({ kind: 'closed', callers });

/** Between two loads, so that what the first one left in flight is over. */
const PAUSE_MS = 700;

/** Applies the load, and records its figures. */
export const measure = async (bench: Bench, measurement: Measurement, round: number): Promise<Row> => {
  const { section, load, side, stack, target, pattern, before, beside } = measurement;
  const { warmUpMs, windowMs } = bench.options;
  await before?.();
  const watched = await beside?.();
  const { windows, faults } = await startLoad(jobOf({ target, pattern, warmUpMs, windowMs }, stack), bench.ground);
  await sleep(PAUSE_MS);
  const figures = { ...windows.reduce((_, window) => figuresOf(window), {}), ...(await watched?.()) };
  const row = { section, load, side, round, figures };
  bench.note(row);
  const [fault] = Object.keys(faults);
  if (fault !== undefined) bench.say(`${section}, ${load}, ${side}: calls failed, for instance: ${fault}`);
  return row;
};

/** Every measurement once a round, in turn; every other round backwards, so that none of them always comes first. */
export const inRounds = async (bench: Bench, measurements: ReadonlyArray<Measurement>): Promise<void> => {
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    const order = round % 2 === 1 ? measurements : measurements.toReversed();
    for (const measurement of order) await measure(bench, measurement, round);
  }
};

/** A job that watches all of `stack`. */
export const jobOf = (
  job: Pick<Job, 'target' | 'pattern' | 'warmUpMs' | 'windowMs'> & Partial<Job>,
  { processes, files }: BenchStack,
): Job => ({ windows: 1, processes, files, ...job });

/** A window by the names that rows have. */
export const figuresOf = ({ perSecond, p50, p99, max, failed, cores, resident }: Window): Figures => ({
  ...{ perSecond, p50, p99, max, failed },
  ...prefixed('cores', cores),
  ...prefixed('resident', resident),
});

const prefixed = (kind: string, values: Figures): Figures =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${kind} ${name}`, value]));

/** A step of a benchmark that needs a stack. */
export type OnStack = (bench: Bench, stack: BenchStack) => Promise<void>;

/** Brings up a stack, does the steps in turn, and stops it whatever happens. */
export const onStack = async (bench: Bench, plan: StackPlan, steps: ReadonlyArray<OnStack>): Promise<void> => {
  const stack = await startBenchStack(plan, bench.ground);
  try {
    for (const step of steps) await step(bench, stack);
  } finally {
    await stack.stop();
  }
};
