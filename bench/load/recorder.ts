import type { Faults } from './job';

/** Keeps the times of calls until they are cut off. */
export interface Recorder {
  readonly record: (ms: number, fault: string) => void;
  /** What was recorded since the last cut. */
  readonly cut: () => Times;
  readonly faults: Faults;
}

interface Times {
  readonly calls: number;
  readonly failed: number;
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
      const sorted = Float64Array.from(times).sort();
      const cut = {
        calls: sorted.length,
        failed,
        p50: quantileOf(sorted, 0.5),
        p99: quantileOf(sorted, 0.99),
        max: quantileOf(sorted, 1),
      };
      times = [];
      failed = 0;
      return cut;
    },
  };
};

/** The value below which `share` of the sorted values lie; 0 when there is none. */
export const quantileOf = (sorted: Float64Array, share: number): number =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
