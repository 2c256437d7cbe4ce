import { createTimes, quantilesOf } from '../../dev/bench/times';
import type { Call } from './callers';

/** What came of a load, as its callers saw it. Times in seconds. */
export interface Figures {
  readonly name: string;
  readonly offered: number;
  /** Served calls per second of the load. */
  readonly perSecond: number;
  readonly servedShare: number;
  readonly p50: number;
  readonly p99: number;
  /** Time until those who were not served knew it. */
  readonly refusedP99: number;
  /** Share of the refused with `Retry-After`. */
  readonly retryAfterShare: number;
  readonly unknown: number;
  readonly gaveUp: number;
}

export const figuresOf = (name: string, calls: ReadonlyArray<Call>, seconds: number): Figures => {
  const timesOf = (wanted: (call: Call) => boolean): ReadonlyArray<number> =>
    calls.filter(wanted).map(({ dueAt, knownAt }) => (knownAt - dueAt) / 1_000);
  const served = timesOf(({ fate }) => fate === 'served');
  const others = calls.filter(({ fate }) => fate !== 'served');
  const { p50, p99 } = quantilesOf(createTimes(served));
  return {
    name,
    offered: calls.length,
    perSecond: served.length / seconds,
    servedShare: served.length / Math.max(1, calls.length),
    p50,
    p99,
    refusedP99: quantilesOf(createTimes(timesOf(({ fate }) => fate !== 'served'))).p99,
    retryAfterShare: others.length === 0 ? 1 : others.filter((call) => call.hasRetryAfter).length / others.length,
    unknown: calls.filter(({ fate }) => fate === 'unknown').length,
    gaveUp: calls.filter(({ fate }) => fate === 'gaveUp').length,
  };
};

/** A line of a table; `peak`: the rate that its goodput is compared with. */
export const lineOf = (figures: Figures, peak?: number): string => {
  const { name, offered, perSecond, servedShare, p50, p99, refusedP99, retryAfterShare, unknown, gaveUp } = figures;
  const share = peak === undefined ? '' : ` = ${(perSecond / peak).toFixed(2)} P`;
  return [
    `${name}: ${perSecond.toFixed(0)}/s${share}`,
    `${(100 * servedShare).toFixed(1)} % of ${offered}`,
    `p50 ${p50.toFixed(2)} s, p99 ${p99.toFixed(2)} s`,
    `the others know after ${refusedP99.toFixed(2)} s (p99), ${(100 * retryAfterShare).toFixed(1)} % with Retry-After`,
    `${unknown} unknown, ${gaveUp} gave up`,
  ].join('; ');
};
