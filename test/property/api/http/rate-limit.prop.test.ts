import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { charged, filled, fullBucket, isOpen, type Rate, secondsUntil } from '../../../../api/http/rate-limit';

const rates: fc.Arbitrary<Rate> = fc.record({
  perSecond: fc.integer({ min: 1, max: 1_000 }),
  burst: fc.integer({ min: 1, max: 200 }),
});
/** Calls: the time since the one before (ms), and what each turns out to be worth. */
const callsOf = (cost: fc.Arbitrary<number>) =>
  fc.array(fc.record({ after: fc.oneof(fc.nat(20), fc.nat(5_000)), cost }), { maxLength: 150 });

/** When calls were let through, in ms, with their cost. */
const letThrough = (rate: Rate, calls: ReadonlyArray<{ readonly after: number; readonly cost: number }>) => {
  let now = 0;
  let bucket = fullBucket(rate, now);
  return calls.flatMap(({ after, cost }) => {
    now += after;
    bucket = filled(rate, bucket, now);
    if (!isOpen(bucket)) return [];
    bucket = charged(bucket, cost);
    return [{ at: now, cost }];
  });
};

const TOLERANCE = 1e-6;

test.prop([rates, callsOf(fc.constant(1))])(
  'in no window more calls are let through than the burst and what the rate gives in that time',
  (rate, calls) => {
    const through = letThrough(rate, calls);
    through.forEach(({ at: from }, first) => {
      through.slice(first).forEach(({ at: to }, index) => {
        expect(index + 1).toBeLessThanOrEqual(rate.burst + (rate.perSecond * (to - from)) / 1_000 + TOLERANCE);
      });
    });
  },
);

test.prop([rates, callsOf(fc.integer({ min: 1, max: 50 }))])(
  'calls of several nodes exceed that by less than the last of them',
  (rate, calls) => {
    const through = letThrough(rate, calls);
    through.forEach(({ at: from }, first) => {
      let sum = 0;
      for (const { at, cost } of through.slice(first)) {
        expect(sum + 1).toBeLessThanOrEqual(rate.burst + (rate.perSecond * (at - from)) / 1_000 + TOLERANCE);
        sum += cost;
      }
    });
  },
);

test.prop([rates, fc.integer({ min: 1, max: 2_000 })])(
  'whoever waits as long as the answer names is let through, and not much earlier',
  (rate, cost) => {
    const empty = charged(fullBucket(rate, 0), cost);
    const seconds = secondsUntil(rate, empty, 1);
    expect(isOpen(filled(rate, empty, Math.ceil(seconds) * 1_000))).toBe(true);
    if (seconds > 0) expect(isOpen(filled(rate, empty, seconds * 990))).toBe(false);
  },
);

test.prop([rates, fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1 })])(
  'a clock that goes back gives nothing, and a bucket never holds more than its burst',
  (rate, times) => {
    let bucket = charged(fullBucket(rate, 0), rate.burst);
    let latest = 0;
    for (const now of times) {
      const next = filled(rate, bucket, now);
      if (now <= latest) expect(next.tokens).toBe(bucket.tokens);
      expect(next.tokens).toBeLessThanOrEqual(rate.burst);
      latest = Math.max(latest, now);
      bucket = next;
    }
  },
);
