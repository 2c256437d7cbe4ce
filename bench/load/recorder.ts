import type { Faults } from './job';

/** Keeps the times of calls until they are cut off. */
export interface Recorder {
  readonly record: (ms: number, fault: string) => void;
  /** What was recorded since the last cut. */
  readonly cut: () => Times;
  readonly faults: Faults;
}

interface Times extends Quantiles {
  readonly calls: number;
  readonly failed: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Times of calls that failed are left out, but not their number. */
export const createRecorder = (): Recorder => {
  let times: number[] = [];
  let failed = 0;
  const faults: Record<string, number> = {};
  return {
    faults,
    record: (ms, fault) => {
      if (fault === '') {
        times.push(ms);
        return;
      }
      failed += 1;
      faults[fault] = (faults[fault] ?? 0) + 1;
    },
    cut: () => {
      const cut = { calls: times.length, failed, ...quantilesOf(times) };
      times = [];
      failed = 0;
      return cut;
    },
  };
};

/** The values below which half, 99 % and all of `values` lie; 0 when there is none. */
export const quantilesOf = (values: ReadonlyArray<number>): Quantiles => {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
};
