import { describe, expect, test } from 'vitest';
import { hardLimits } from '../../../../../workflows/domain/limits';
import { examineSpectrum } from '../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../workflows/domain/rating/rating-rules';
import type { ExaminedHal } from '../../../../../workflows/domain/rating/vibration/hal/examine-hal';
import type { Hal } from '../../../../../workflows/domain/threshold/hal';
import { rightOf } from '../../../../support/either';
import { evenLines, measuredSpectrum } from '../../../../support/packed-lines';
import { randomOf } from '../../../../support/synthesis/random';
import { combOf, ordersBy, recorded } from '../../../../support/synthesis/tones';

const SHAFT = 40;
const orders = ordersBy(9, 0.20338);
const bearing = { manufacturer: 'ACME', modelNumber: 'nine' };
const twin = { manufacturer: 'EMCA', modelNumber: 'the same' };
const resolved = [
  { ...bearing, orders },
  { ...twin, orders },
];

const examined = (halAlarms: ReadonlyArray<Hal>, y: Float64Array, shaft = SHAFT): ReadonlyArray<ExaminedHal> => {
  const about = { speed: shaft * 60, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann' } as const;
  const measurement = measuredSpectrum({ ...about, lines: evenLines(0, 1, [...y]) });
  return rightOf(examineSpectrum(ratingRules({ halAlarms }, { bearings: resolved }), measurement)).hals.map(rightOf);
};

const random = randomOf(3);
const innerRace = recorded(random, {
  ...{ count: 4_000, averages: 8 },
  tones: [
    ...combOf(random, { at: orders.bpfi * SHAFT * 0.99, decibels: 36, side: SHAFT }),
    ...combOf(random, { at: 12 * SHAFT, decibels: 44 }),
  ],
});
const reasons = ({ harmonics }: ExaminedHal): ReadonlyArray<string | undefined> => harmonics.map(({ why }) => why);

describe('a HAL is examined', () => {
  const [own, same, outer, teeth, ball] = examined(
    [
      ...[
        { label: 'BPFI', bearing },
        { label: 'BPFI', bearing: twin },
        { label: 'BPFO', bearing },
      ],
      ...[{ label: '12 TOOTH' }, { label: 'BSF', bearing }],
    ],
    innerRace,
  );

  test('where it was expected and found, its deviation, its sidebands and its rival', () => {
    expect(own).toMatchObject({ name: 'BPFI of ACME nine', shaftHz: SHAFT, factor: orders.bpfi, explainedBy: [] });
    expect(own?.expectedHz).toBeCloseTo(orders.bpfi * SHAFT, 6);
    expect(own?.deviation).toBeCloseTo(-0.01, 2);
    expect(own?.score).toBeGreaterThan(own?.rivalScore ?? Infinity);
    expect(own?.sidebands.map(({ side }) => side)).toEqual(expect.arrayContaining([-1, 1]));
    expect(reasons(own!).slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(own).not.toHaveProperty('linesNeeded');
  });

  test('with what else explains its lines', () => {
    expect(same?.explainedBy).toEqual([{ name: 'BPFI of ACME nine', lines: expect.any(Number) as number }]);
    expect(same?.index).toBe(own?.index);
    expect(same?.name).toBe('BPFI of EMCA the same');
    expect(teeth?.index).toBeGreaterThan(3.5);
    expect([...reasons(outer!), ...reasons(ball!)]).toContain('explained by BPFI of ACME nine');
  });

  test('with a warning where its harmonics are few lines apart, and where they do not stand out', () => {
    const [coarse] = examined([{ label: '1x' }], recorded(randomOf(5), { count: 400, averages: 4 }), 8);
    expect(coarse).toMatchObject({
      linesApart: expect.closeTo(8, 0) as number,
      linesNeeded: expect.any(Number) as number,
    });
    expect(reasons(coarse!)).toContain('does not stand out');
  });

  test('with no advice to measure with more lines than a spectrum may have', () => {
    const lines = recorded(randomOf(5), { count: hardLimits.spectrumLines, averages: 4 });
    const [coarse] = examined([{ label: '1x' }], lines, 8);
    expect(coarse?.linesApart).toBeCloseTo(8, 0);
    expect(coarse).not.toHaveProperty('linesNeeded');
  });

  test('with bounded decibels: a line without amplitude has a number, too', () => {
    const lines = recorded(randomOf(5), { count: 400, averages: 4 });
    const [first] = examined([{ label: '1x' }], lines.with(SHAFT, 0).with(2 * SHAFT, Number.MAX_VALUE));
    expect(first?.harmonics.slice(0, 2).map(({ decibels }) => decibels)).toEqual([-200, 200]);
  });
});
