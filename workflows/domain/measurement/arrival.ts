import { epochMsOf, epochNanosOf } from '../codecs';

/** How far the clock of a sender may be ahead before it is reported (ms). */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * When a measurement was taken (nanoseconds since 1970): by its clock, but not after its arrival (epoch ms), lest one whose
 * clock was far ahead stay the newest for ever. A run of an early build carried on no arrival.
 */
export const takenAt = (createdAt: string, arrivedAt?: number): bigint => {
  const dated = epochNanosOf(createdAt);
  const arrived = arrivedAt === undefined ? dated : BigInt(arrivedAt) * 1_000_000n;
  return dated < arrived ? dated : arrived;
};

/** By how much (ms) a measurement is dated after its arrival; undefined where that is within the tolerance. */
export const clockAhead = (createdAt: string, arrivedAt: number): number | undefined => {
  const aheadMs = epochMsOf(createdAt) - arrivedAt;
  return aheadMs > CLOCK_TOLERANCE_MS ? aheadMs : undefined;
};
