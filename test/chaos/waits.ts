import type { Recorder } from './load/recorder';

/** How long callers waited, in ms. */
export interface Waits {
  /** The longest time without one acknowledged write of anybody. */
  readonly silence: number;
  /** The longest time of one write, from its first try until it was acknowledged. */
  readonly longest: number;
  /** 99 of 100 calls that were acknowledged took no longer. */
  readonly p99: number;
}

/** The waits of a recorder's callers in a span of time, in ms of `performance`. */
export const waitsOf = (
  { tries, writes }: Pick<Recorder, 'tries' | 'writes'>,
  { from, to }: { readonly from: number; readonly to: number },
): Waits => {
  const acknowledged = tries.filter(({ at, called: { status } }) => at >= from && status >= 200 && status < 300);
  const moments = [from, ...acknowledged.map(({ at, called: { ms } }) => at + ms).sort(ascending), to];
  const times = acknowledged.map(({ called: { ms } }) => ms).sort(ascending);
  const waited = writes.filter(({ answer, sentAt }) => answer === 'acknowledged' && sentAt >= from);
  return {
    silence: Math.round(Math.max(...moments.map((at, index) => at - (moments[index - 1] ?? at)))),
    longest: Math.round(Math.max(0, ...waited.map(({ sentAt, answeredAt }) => answeredAt - sentAt))),
    p99: Math.round(times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN),
  };
};

const ascending = (one: number, other: number): number => one - other;
