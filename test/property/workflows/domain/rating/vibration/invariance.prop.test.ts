import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { describe, expect } from 'vitest';
import type { HalPart } from '../../../../../../workflows/domain/alarm/parts';
import type { Spectrum } from '../../../../../../workflows/domain/measurement/spectrum';
import { examineSpectrum, rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import type { Band } from '../../../../../../workflows/domain/threshold/band';
import type { Hal } from '../../../../../../workflows/domain/threshold/hal';
import { rightOf } from '../../../../../support/either';
import { evenLines, measuredSpectrum } from '../../../../../support/packed-lines';
import { randomOf } from '../../../../../support/synthesis/random';
import { combOf, ordersBy, recorded } from '../../../../../support/synthesis/tones';

/** What the index must not depend on, on machines with a shaft, at times a fault of a bearing, and a resonance. */
const COUNT = 3_000;
const orders = { nine: ordersBy(9, 0.20338), eight: ordersBy(8, 0.22923), seven: ordersBy(7, 0.27) };
const bearings = Object.entries(orders).map(([modelNumber, found]) => ({
  ...{ manufacturer: 'ACME', modelNumber },
  orders: found,
}));
const faults = ['bpfo', 'bpfi', 'bsf', 'ftf'] as const;

const hals: ReadonlyArray<Hal> = [
  ...['nine', 'eight', 'seven'].flatMap((modelNumber) =>
    faults.map((fault) => ({ label: fault.toUpperCase(), bearing: { manufacturer: 'ACME', modelNumber } })),
  ),
  ...['1x', '0.47x', '12 TOOTH'].map((label) => ({ label })),
];
const bands: ReadonlyArray<Band> = [0, 100, 700, 2_000].map((value) => ({
  minFrequency: { value, valueType: 1 },
  maxFrequency: { value: value + 500, valueType: 1 },
}));

interface Machine {
  readonly seed: number;
  readonly shaft: number;
  readonly ill: keyof typeof orders;
  readonly fault: 'bpfo' | 'bpfi';
  readonly decibels: number;
  readonly off: number;
}
const machine: fc.Arbitrary<Machine> = fc.record({
  seed: fc.integer({ min: 0, max: 1e6 }),
  shaft: fc.double({ min: 15, max: 40, noNaN: true }),
  ill: fc.constantFrom('nine', 'seven'),
  fault: fc.constantFrom('bpfo', 'bpfi'),
  decibels: fc.double({ min: 0, max: 30, noNaN: true }),
  off: fc.double({ min: 0.99, max: 1.005, noNaN: true }),
});

/** Its lines, moved by part of a spacing: the tones stand at other places, the noise is the same. */
const linesOf = ({ seed, shaft, ill, fault, decibels, off }: Machine, shift = 0): Float64Array => {
  const random = randomOf(seed);
  const side = fault === 'bpfi' ? shaft : 0;
  const tones = [
    ...combOf(random, { at: shaft, decibels: 12, fall: 0.8 }),
    ...(decibels < 5 ? [] : combOf(random, { at: orders[ill][fault] * shaft * off, decibels, fall: 0.3, side })),
  ].map((tone) => ({ ...tone, at: tone.at - shift }));
  return recorded(randomOf(seed + 1), { count: COUNT, averages: 8, tones, resonance: 10 });
};

const spectrumOf = ({ shaft }: Machine, y: Float64Array, start = 0): Spectrum => ({
  ...{ speed: shaft * 60, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann' },
  lines: evenLines(start, 1, [...y]),
});
const rate = (halAlarms: ReadonlyArray<Hal>, spectrum: Spectrum, known = bearings): ReadonlyArray<HalPart> =>
  rateSpectrum(ratingRules({ halAlarms }, { bearings: known }), measuredSpectrum(spectrum)).hals ?? [];
const indices = (parts: ReadonlyArray<HalPart>): ReadonlyArray<number> => parts.map(({ halIndex = -1 }) => halIndex);

/** Numbers that are equal but for what six digits of an amplitude make. */
const near = (values: ReadonlyArray<number>): unknown => values.map((value) => expect.closeTo(value, 3) as number);

describe('a rating does not depend on', () => {
  test.prop([machine, fc.shuffledSubarray([...hals.keys()], { minLength: hals.length })], { numRuns: 100 })(
    'the order of HALs, bands and bearings',
    (made, places) => {
      const spectrum = spectrumOf(made, linesOf(made));
      const inOrder = rate(hals, spectrum);
      const shuffled = places.flatMap((place) => hals[place] ?? []);
      expect(rate(shuffled, spectrum, bearings.toReversed())).toEqual(places.map((place) => inOrder[place]));
      const rated = (bandAlarms: ReadonlyArray<Band>) =>
        rateSpectrum(ratingRules({ bandAlarms }), measuredSpectrum(spectrum)).bands ?? [];
      expect(rated(bands.toReversed())).toEqual(rated(bands).toReversed());
    },
  );

  test.prop([machine, fc.double({ min: -200, max: 200, noNaN: true })], { numRuns: 100 })(
    'the scale of its amplitudes',
    (made, decades) => {
      const y = linesOf(made);
      const scaled = y.map((height) => height * 10 ** decades);
      expect(indices(rate(hals, spectrumOf(made, scaled)))).toEqual(near(indices(rate(hals, spectrumOf(made, y)))));
    },
  );

  test.prop([machine, fc.nat(60)], { numRuns: 100 })(
    'whether its lines are given in Hz or in orders',
    (made, first) => {
      const inHz = spectrumOf(made, linesOf(made), first);
      const { shaft } = made;
      const inOrders = { ...inHz, xUnit: 'orders', lines: evenLines(first / shaft, 1 / shaft, [...linesOf(made)]) };
      expect(indices(rate(hals, inOrders))).toEqual(near(indices(rate(hals, inHz))));
    },
  );

  test.prop([machine, fc.double({ min: 0, max: 1, noNaN: true })], { numRuns: 150 })(
    'a shift of the lines by part of a spacing, but for 15 % of the index of a fault that stands out',
    (made, shift) => {
      const strong = { ...made, decibels: 18 + made.decibels / 2 };
      const at = 4 * ['nine', 'eight', 'seven'].indexOf(made.ill) + faults.indexOf(made.fault);
      const [as, moved] = [0, shift].map(
        (by) => indices(rate(hals, spectrumOf(strong, linesOf(strong, by), by)))[at] ?? 0,
      );
      expect(Math.abs((moved ?? 0) / (as ?? 0) - 1)).toBeLessThan(0.15);
    },
  );

  test.prop([machine, fc.double({ min: 1.1, max: 9.9, noNaN: true })], { numRuns: 150 })(
    'a HAL of what is not there',
    (made, order) => {
      const spectrum = spectrumOf(made, linesOf(made));
      const halAlarms = [...hals, { label: `${order.toFixed(4)}x` }];
      const examined = rightOf(examineSpectrum(ratingRules({ halAlarms }, { bearings }), measuredSpectrum(spectrum)));
      const added = examined.hals.at(-1)!;
      if (E.isRight(added) && (added.right.index > 2 || added.right.explainedBy.length > 0)) return; // something is there
      expect(indices(rate(halAlarms, spectrum)).slice(0, -1)).toEqual(indices(rate(hals, spectrum)));
    },
  );
});
