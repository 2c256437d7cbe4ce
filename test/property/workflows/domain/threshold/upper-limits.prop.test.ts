import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { ALERT, DANGER, GOOD } from '../../../../../workflows/domain/alarm/status';
import { finite } from '../../../../../workflows/domain/codecs';
import { bandLimits } from '../../../../../workflows/domain/threshold/band';
import {
  fallingLimits,
  rateUpper,
  reachedLimit,
  reachesLimit,
  type UpperLimits,
} from '../../../../../workflows/domain/threshold/alarm-limits';
import { ofCodec } from '../../../../support/arbitraries/from-schema';

const number = ofCodec(finite);

/** A decimal of up to six digits, as people write it, and its digits as an integer. */
const decimals = fc
  .record({ digits: fc.integer({ min: 1, max: 999_999 }), places: fc.integer({ min: 0, max: 9 }) })
  .map(({ digits, places }) => ({ digits, places, value: Number(`${digits}e-${places}`) }));

describe('a value reaches a limit', () => {
  test.prop([decimals, decimals], { numRuns: 2_000 })(
    'that is a product of decimals, just where it does on paper',
    (one, other) => {
      const places = one.places + other.places;
      const onPaper = (digits: number): number => Number(`${digits}e-${places}`);
      const product = one.value * other.value;
      const digits = one.digits * other.digits; // of twelve digits at most
      expect(reachesLimit(onPaper(digits), product)).toBe(true);
      expect(reachesLimit(product, onPaper(digits))).toBe(true);
      expect(reachesLimit(onPaper(digits - 1), product)).toBe(false);
      expect(reachesLimit(product, onPaper(digits + 1))).toBe(false);
    },
  );

  test.prop([fc.array(decimals, { minLength: 2, maxLength: 5 })], { numRuns: 1_000 })(
    'that is the root of a sum of squares, where the root is a decimal',
    (given) => {
      // 3, 4 and 5 parts of the same: 9 + 16 = 25.
      for (const { value, places, digits } of given) {
        const [three, four, five] = [3, 4, 5].map((parts) => Number(`${parts * digits}e-${places}`));
        const greatest = Number(four);
        const root = greatest * Math.sqrt((Number(three) / greatest) ** 2 + 1);
        expect(reachesLimit(root, Number(five))).toBe(true);
        expect(reachesLimit(root, Number(five) + value / 1_000)).toBe(false);
      }
    },
  );

  test.prop([number, number])('that is not above it', (value, limit) => {
    if (value >= limit) expect(reachesLimit(value, limit)).toBe(true);
  });

  test.prop([number, number, number])('as in an order: in one direction at least, and transitively', (a, b, c) => {
    expect(reachesLimit(a, b) || reachesLimit(b, a)).toBe(true);
    if (reachesLimit(a, b) && reachesLimit(b, c)) expect(reachesLimit(a, c)).toBe(true);
  });

  const bits = fc.integer({ min: -4, max: 4 });
  test.prop([
    fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }),
    fc.integer({ min: -290, max: 290 }),
    bits,
    bits,
  ])('that is the same decimal of twelve digits but for noise in the last bits', (digits, power, one, other) => {
    const noisy = (by: number): number => Number(`${digits}e${power}`) * (1 + by * Number.EPSILON);
    expect(reachesLimit(noisy(one), noisy(other))).toBe(true);
  });
});

const limits: fc.Arbitrary<UpperLimits> = fc.record<UpperLimits, never>(
  { upperAlert: number, upperDanger: number },
  { requiredKeys: [] },
);

describe('upper limits', () => {
  test.prop([limits, number])('rate by the worst that is reached', (given, value) => {
    const reached = (limit: number | undefined): boolean => limit !== undefined && reachesLimit(value, limit);
    const worst = reached(given.upperDanger) ? DANGER : reached(given.upperAlert) ? ALERT : GOOD;
    expect(rateUpper(value, given)).toBe(worst);
    const name = { [DANGER]: 'upperDanger', [ALERT]: 'upperAlert', [GOOD]: undefined }[worst];
    expect(reachedLimit(value, given)?.name).toBe(name);
  });

  test.prop([limits, number, number])('never improve as the value rises', (given, one, other) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    expect(rateUpper(high, given)).toBeGreaterThanOrEqual(rateUpper(low, given));
  });

  const typed = fc.record({ value: number, valueType: fc.constantFrom<1 | 2 | 3>(1, 2, 3) });
  test.prop([
    fc.record({ upperAlert: typed, upperDanger: typed }),
    fc.record({ fullScale: number, overall: fc.record({ innerHigh: number, outerHigh: number }) }),
  ])('are refused just where a value would be DANGER and not reach ALERT', (given, bases) => {
    const { upperAlert = NaN, upperDanger = NaN } = bandLimits(given, bases);
    fc.pre(Number.isFinite(upperDanger)); // as every value is
    const isAlert = rateUpper(upperDanger, { upperAlert }) === ALERT;
    expect(fallingLimits('x', { upperAlert, upperDanger })).toHaveLength(isAlert ? 0 : 1);
  });
});
