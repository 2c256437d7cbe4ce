import { createHistogram } from 'node:perf_hooks';

/** Keeps the times (ms) of calls; those of calls that failed are left out, but not their number. */
export interface Recorder {
  /** `fault` is empty where the call was answered. */
  readonly record: (ms: number, fault: string) => void;
  /** What was recorded since the last cut. */
  readonly cut: () => Quantiles & { readonly calls: number; readonly failed: number };
  /** Failed calls since the begin, by their fault. */
  readonly faults: Readonly<Record<string, number>>;
}

/** The times (ms) below which half, 99 % and all of them lie; 0 when there is none. */
interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Of a time, in microseconds; its error is below 0.01 %, and a reset takes a millisecond (five figures: 70). */
const HISTOGRAM = { highest: 3_600_000_000, figures: 4 };

export const createRecorder = (): Recorder => {
  const times = createHistogram(HISTOGRAM);
  const faults: Record<string, number> = {};
  let failed = 0;
  return {
    faults,
    record: (ms, fault) => {
      if (fault === '') times.record(Math.max(1, Math.round(ms * 1_000)));
      else {
        failed += 1;
        faults[fault] = (faults[fault] ?? 0) + 1;
      }
    },
    cut: () => {
      const at = (percent: number): number => Math.round(times.percentile(percent) / 10) / 100;
      const cut = { calls: times.count, failed, p50: at(50), p99: at(99), max: at(100) };
      times.reset();
      failed = 0;
      return cut;
    },
  };
};

export const quantilesOf = (values: ReadonlyArray<number>): Quantiles => {
  const recorder = createRecorder();
  for (const value of values) recorder.record(value, '');
  const { p50, p99, max } = recorder.cut();
  return { p50, p99, max };
};
