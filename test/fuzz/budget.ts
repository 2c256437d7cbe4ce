const number = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

/**
 * How long the fuzz tests go on: so many runs of each, and at most so many minutes for each. Without more a short form of a
 * seed that stays; `npm run fuzz` takes another seed each time.
 */
export const budget = {
  seed: number('FUZZ_SEED', 20_260_131),
  runs: number('FUZZ_RUNS', 60),
  minutes: number('FUZZ_MINUTES', 2),
};

/** The time of a test that keeps the budget, ms: what was begun in time may end. */
export const testTimeoutMs = budget.minutes * 60_000 + 240_000;

/** fast-check's settings for a share of the runs. */
export const within = (share: number) => ({
  seed: budget.seed,
  numRuns: Math.max(1, Math.round(budget.runs * share)),
  interruptAfterTimeLimit: budget.minutes * 60_000,
  markInterruptAsFailure: false,
  endOnFailure: false,
});

/** Says every so often how many runs are done. */
export const progress = (what: string): (() => void) => {
  let done = 0;
  let toldAt = performance.now();
  return () => {
    done += 1;
    if (performance.now() - toldAt < 10_000) return;
    toldAt = performance.now();
    console.info(`${what}: ${done} runs, seed ${budget.seed}`);
  };
};
