import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { expect } from 'vitest';
import { decode } from '../../../../../../workflows/domain/codecs';
import {
  storedSpectrum,
  windowFunctions,
  type Spectrum,
} from '../../../../../../workflows/domain/measurement/spectrum';
import { rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import { hardLimits } from '../../../../../../workflows/domain/limits';
import { MOST_STEPS, ratingSteps } from '../../../../../../workflows/domain/rating/vibration/hal/rating-steps';
import { linesInHz } from '../../../../../../workflows/domain/rating/vibration/spectral-lines';
import type { Threshold } from '../../../../../../workflows/domain/threshold/threshold';
import { evenLines, measuredSpectrum, unevenLines } from '../../../../../support/packed-lines';

const threshold: Threshold = {
  bandAlarms: [
    {},
    { minFrequency: { value: 0.5, valueType: 2 }, maxFrequency: { value: 1e300, valueType: 2 } },
    {
      minFrequency: { value: -1e308, valueType: 1 },
      overallAlarmThreshold: { upperAlert: { value: 0, valueType: 1 } },
    },
  ],
  halAlarms: [
    ...['BPFO', 'FTF', '1x', '0.47x', '12 TOOTH', ''].map((label) => ({
      label,
      bearing: { manufacturer: 'SKF', modelNumber: '6205' },
      upperAlert: 3,
    })),
    { label: '', halAlarmType: 'GLOBAL' as const },
    { label: '', halAlarmType: 'GLOBAL' as const, bearing: { manufacturer: 'SKF', modelNumber: '6203' } },
  ],
};

const anyAmount = fc.oneof(
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 5e-324, 1e-300, 1, 1e6, 1e300, Number.MAX_VALUE),
);
const amplitudes = fc.array(anyAmount, { maxLength: 200 });
const rising = fc
  .uniqueArray(
    fc.double({ min: 0, max: 1e6, noNaN: true }).map((x) => Number(x.toPrecision(10))),
    { maxLength: 100 },
  )
  .map((x) => x.sort((a, b) => a - b));

const anyLines = fc.oneof(
  fc
    .record({ start: anyAmount, step: anyAmount, y: amplitudes })
    .filter(({ step, y }) => step > 0 || y.length < 2)
    .map(({ start, step, y }) => evenLines(start, step, y)),
  fc
    .record({ step: fc.double({ min: 0.01, max: 10, noNaN: true }), y: amplitudes })
    .map(({ step, y }) => evenLines(0, step, y)),
  rising.chain((x) => fc.array(anyAmount, { minLength: x.length, maxLength: x.length }).map((y) => unevenLines(x, y))),
);

const anySpectrum: fc.Arbitrary<Spectrum> = fc.record({
  speed: fc.oneof(anyAmount, fc.double({ min: 1, max: 6000, noNaN: true })),
  xUnit: fc.constantFrom('Hz', 'kHz', 'CPM', 'orders', 'kg'),
  yUnit: fc.constant('g'),
  windowFunction: fc.constantFrom(...windowFunctions),
  lines: anyLines,
});

const numbersIn = (value: unknown): ReadonlyArray<number> => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

test.prop([anySpectrum], { numRuns: 300 })(
  'rating a spectrum never throws, gives the same for the same, and every number of it is finite, whatever the lines',
  (spectrum) => {
    expect(E.isRight(decode(storedSpectrum, spectrum))).toBe(true);
    const rated = rateSpectrum(ratingRules(threshold), measuredSpectrum(spectrum));
    expect(rateSpectrum(ratingRules(threshold), measuredSpectrum(spectrum))).toEqual(rated);
    expect(rated.bands).toHaveLength(3);
    expect(rated.hals).toHaveLength(8);
    expect(numbersIn(rated).filter((value) => !Number.isFinite(value))).toEqual([]);
    for (const hal of rated.hals ?? []) {
      expect(hal.errorDescription === undefined).toBe(hal.status !== 1);
      expect(Number.isInteger(hal.numberOfHarmonicsUsed ?? 1)).toBe(true);
    }
  },
);

const nearlyOne = fc.tuple(anyAmount, fc.constantFrom(1e-9, 1e-11, 1e-13)).map(([x, share]) => [x, x * (1 + share)]);
const { halRules } = ratingRules({
  halAlarms: Array.from({ length: 100 }, (_, index) => ({
    label: index % 2 === 0 ? `${index + 1}x` : '',
    halAlarmType: index % 2 === 0 ? ('FREQUENCY' as const) : ('GLOBAL' as const),
    bearing: { manufacturer: 'SKF', modelNumber: '6205' },
  })),
});
const families = halRules.flatMap(({ families }) => (E.isRight(families) ? families.right : []));

/** At the limits it is below what a rating may take: a hundred GLOBAL HALs are five hundred families. */
const bound = (lines: number, count: number): number => 500 * lines + 5_000 * count;
test('a rating within the limits takes no more steps than it may', () => {
  expect(bound(hardLimits.spectrumLines, 5 * hardLimits.hals)).toBeLessThan(MOST_STEPS);
});

test.prop([fc.oneof(rising, nearlyOne), anyAmount], { numRuns: 1_000 })(
  'the steps of a rating are bounded by the lines and the HALs, whatever their values',
  (x, speed) => {
    const lines = unevenLines(
      x,
      x.map(() => 1),
    );
    const readable = linesInHz({ speed, xUnit: 'Hz', yUnit: 'g', windowFunction: 'flattop', lines });
    if (E.isLeft(readable) || !(readable.right.spacing > 0)) return;
    expect(ratingSteps(readable.right, families)).toBeLessThan(bound(x.length, families.length));
  },
);
