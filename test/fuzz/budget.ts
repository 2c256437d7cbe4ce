import { fc } from '@fast-check/vitest';

const number = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

/**
 * How long the fuzz tests go on: about so many tries of each, and at most so many minutes for each. Without more a short form of a
 * seed that stays; `npm run fuzz` takes another seed each time.
 */
export const budget = {
  seed: number('FUZZ_SEED', 20_260_131),
  runs: number('FUZZ_RUNS', 60),
  minutes: number('FUZZ_MINUTES', 2),
};

/** The time of a test that keeps the budget, ms: what was begun in time may end. */
export const testTimeoutMs = budget.minutes * 60_000 + 240_000;

/** What a run tries side by side, as many callers do; one of them is left where a fault needs no more. */
const AT_ONCE = 8;

/** Some of `one`, to be tried side by side. */
export const several = <A>(one: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.array(one, { minLength: 1, maxLength: AT_ONCE, size: 'max' });

/** fast-check's settings for a share of the budget's tries, about half of `several` at a time. */
export const fuzzParameters = (share: number) => ({
  seed: budget.seed,
  numRuns: Math.max(1, Math.round((budget.runs * share * 2) / AT_ONCE)),
  interruptAfterTimeLimit: budget.minutes * 60_000,
  markInterruptAsFailure: false,
  endOnFailure: false,
});

/** Says every so often how many tries are done. */
export const progress = (what: string): (() => void) => {
  let done = 0;
  let toldAt = performance.now();
  return () => {
    done += 1;
    if (performance.now() - toldAt < 10_000) return;
    toldAt = performance.now();
    console.info(`${what}: ${done} tried, seed ${budget.seed}`);
  };
};
