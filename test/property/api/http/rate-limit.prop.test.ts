import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { createRateLimiter, type Rate } from '../../../../api/http/rate-limit';

const rates: fc.Arbitrary<Rate> = fc.record({
  perSecond: fc.integer({ min: 1, max: 1_000 }),
  burst: fc.integer({ min: 1, max: 200 }),
});

/** Calls of a user: the time since the one before (ms), and what each turns out to be worth. */
const calls = fc.array(
  fc.record({
    after: fc.oneof(fc.nat(20), fc.nat(5_000)),
    cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })),
  }),
  { maxLength: 150 },
);

const TOLERANCE = 1e-6;

test.prop([rates, calls])(
  'in no window more is let through than the burst and what the rate gives in that time, but for the rest of the last call',
  (rate, made) => {
    let now = 0;
    const { consume, charge } = createRateLimiter(rate, () => now);
    const through = made.flatMap(({ after, cost }) => {
      now += after;
      if (!consume('ada').isAllowed) return [];
      if (cost > 1) charge('ada', cost - 1);
      return [{ at: now, cost }];
    });
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
    let now = 0;
    const { consume, charge } = createRateLimiter(rate, () => now);
    for (const user of ['early', 'late']) charge(user, rate.burst - 1 + cost);
    const seconds = Number(consume('late').headers['Retry-After']);
    now = (seconds - 1) * 990;
    expect(consume('early').isAllowed).toBe(false);
    now = seconds * 1_000;
    expect(consume('late').isAllowed).toBe(true);
  },
);
