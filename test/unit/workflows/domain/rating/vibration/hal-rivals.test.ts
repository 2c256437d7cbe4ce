import { describe, expect, test } from 'vitest';
import type { HalPart } from '../../../../../../workflows/domain/alarm/parts';
import { examineSpectrum, rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import type { DefectOrders } from '../../../../../../workflows/domain/rating/vibration/bearings/bearing';
import type { Hal } from '../../../../../../workflows/domain/threshold/hal';
import { rightOf } from '../../../../../support/either';
import { evenLines, measuredSpectrum } from '../../../../../support/packed-lines';
import { between, randomOf } from '../../../../../support/synthesis/random';
import { combOf, ordersBy, recorded } from '../../../../../support/synthesis/tones';

const bearing = { manufacturer: 'ACME', modelNumber: 'X' };

interface Rated {
  /** The shaft's frequency in lines. */
  readonly shaft: number;
  readonly y: Float64Array;
  readonly orders?: DefectOrders;
  readonly xUnit?: 'Hz' | 'orders';
}

const rate = (halAlarms: ReadonlyArray<Hal>, { shaft, y, orders, xUnit = 'Hz' }: Rated): ReadonlyArray<HalPart> => {
  const bearings = orders === undefined ? [] : [{ ...bearing, orders }];
  const lines = evenLines(0, xUnit === 'Hz' ? 1 : 1 / shaft, [...y]);
  const spectrum = { speed: shaft * 60, xUnit, yUnit: 'g', windowFunction: 'hann' as const, lines };
  return rateSpectrum(ratingRules({ halAlarms }, { bearings }), measuredSpectrum(spectrum)).hals ?? [];
};

describe('a rival that is stronger keeps a HAL from alarming', () => {
  test.each([400, 400.1, 400.25, 400.5, 400.75])(
    'at line %d, also where frequencies beside it stand out as much',
    (at) => {
      const indices = [1, 2, 3, 4, 5].map((seed) => {
        const random = randomOf(seed);
        const tones = [...combOf(random, { at: 255, decibels: 15 }), ...combOf(random, { at, decibels: 30 })];
        const y = recorded(random, { count: 2_100, averages: 8, tones });
        return rate([{ label: '2.62887x' }], { shaft: 97, y })[0]?.halIndex;
      });
      expect(indices).toEqual([0, 0, 0, 0, 0]);
    },
  );
});

test.each([
  [51.2, 1, 997, 11.21739],
  [30.1, 0.5, 1_037, 11.33597],
  [9.8, 0.25, 1_590, 3.68379],
  [25.6, 0.5, 6_099, 11.21739],
  [1, 0.3125, 7_187, 3.52569],
  [7.22, 0.1, 7_306, 11.49407],
])('a fault is found where the first line lies at %d Hz, in lines of %d Hz', (start, spacing, seed, factor) => {
  const tones = combOf(randomOf(seed), { at: 25.3 * factor, decibels: 30, fall: 0.2 });
  const seen = tones.map((tone) => ({ ...tone, at: tone.at - start / spacing }));
  const y = recorded(randomOf(seed + 5), { count: 801, averages: 8, tones: seen });
  const spectrum = { speed: 25.3 * spacing * 60, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann' as const };
  const lines = evenLines(start, spacing, [...y]);
  const [part] =
    rateSpectrum(ratingRules({ halAlarms: [{ label: `${factor}x` }] }), measuredSpectrum({ ...spectrum, lines }))
      .hals ?? [];
  expect(part?.halIndex).toBeGreaterThan(5);
});

describe('a HAL of what is not there decides nothing, where a rival lies at the end of those that are compared', () => {
  test.each([5, 16, 18, 23])('spectrum %d', (seed) => {
    const random = randomOf(seed * 131 + 5);
    const shaft = between(random, 10, 40);
    const order = between(random, 2.2, 6);
    const fault = order * shaft * between(random, 0.99, 1.01);
    const decibels = between(random, 14, 24);
    const rival = () => order * shaft * between(random, 2.597, 2.603);
    const tones = [
      ...combOf(random, { at: fault, decibels }),
      ...combOf(random, { at: rival(), decibels: between(random, 14, 26) }),
    ];
    const y = recorded(random, { count: Math.floor(order * shaft * 11), averages: 8, tones });
    const hal = { label: `${order.toFixed(4)}x` };
    const absent = { label: `${between(random, order + 0.5, 14).toFixed(4)}x` };
    const [alone] = rate([hal], { shaft, y });
    const [beside, other] = rate([hal, absent], { shaft, y });
    expect(other?.halIndex ?? 0).toBeLessThan(2);
    expect(beside?.halIndex).toBe(alone?.halIndex);
  });
});

test('noise in amplitudes of few digits, of which most are 0, raises no alarm', () => {
  const indices = Array.from({ length: 100 }, (_, seed) => {
    const random = randomOf(seed);
    const shaft = between(random, 12, 50);
    const noise = recorded(random, { count: 2_500, averages: 8 });
    const y = noise.map((height) => Number((height * 0.0005).toFixed(3)));
    const hals = ['2.6281x', '3.5848x', '3.0525x', '4.9469x', '5.4152x'].map((label) => ({ label }));
    return rate(hals, { shaft, y }).map(({ halIndex = 0 }) => halIndex);
  }).flat();
  expect(Math.max(...indices)).toBeLessThan(3.5);
});

test('a HAL that shares the index of the strongest keeps what it expects', () => {
  const random = randomOf(3);
  const y = recorded(random, {
    count: 3_000,
    averages: 8,
    tones: combOf(random, { at: 3.5848 * 29.17, decibels: 25 }),
  });
  const lines = evenLines(0, 1, [...y]);
  const spectrum = { speed: 29.17 * 60, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann' as const, lines };
  const halAlarms = ['3.5848x', '3.565x'].map((label) => ({ label }));
  const examined = examineSpectrum(ratingRules({ halAlarms }), measuredSpectrum(spectrum));
  const expected = rightOf(examined).hals.map((hal) => rightOf(hal).expectedHz);
  expect(expected).toEqual([expect.closeTo(3.5848 * 29.17, 6), expect.closeTo(3.565 * 29.17, 6)]);
});

test('lines near 0 Hz are no rival where there is none', () => {
  const y = new Float64Array(2_100).fill(1);
  const calm = rate([{ label: '2.63x' }], { shaft: 97, y })[0];
  y.fill(30, 3, 10);
  expect(rate([{ label: '2.63x' }], { shaft: 97, y })[0]).toEqual(calm);
  expect(calm?.halIndex).toBe(2);
});

describe('a fault is never its own rival, nor its flank', () => {
  /** A fault at any deviation from an order near 5, without a shaft; its harmonics are so many lines apart. */
  test.each([15, 37, 75, 150])('where its harmonics are %d lines apart, in Hz and in orders', (apart) => {
    const trials = Array.from({ length: 60 }, (_, seed) => {
      const random = randomOf(seed);
      const shaft = (apart / 5) * between(random, 0.97, 1.03);
      const order = between(random, 4.9, 5.1);
      const at = order * between(random, 0.971, 1.029);
      const tones = combOf(random, { at: at * shaft, decibels: 25, fall: 0.3 });
      const y = recorded(random, { count: 11 * apart, averages: 8, tones });
      const hals = [{ label: `${order.toFixed(4)}x` }];
      const [inHz] = rate(hals, { shaft, y });
      const [inOrders] = rate(hals, { shaft, y, xUnit: 'orders' });
      expect(inOrders?.halIndex).toBe(inHz?.halIndex);
      return { off: Math.abs(at / 5 - 1), index: inHz?.halIndex };
    });
    const missed = trials.filter(({ off, index }) => off > 0.0045 && index !== undefined && index < 4);
    expect(missed).toEqual([]);
  });
});

describe('of HALs that overlap, that which is least off has the lines', () => {
  const orders = ordersBy(8, 0.203); // twice BSF lies 1.8 % below BPFI
  test.each([1, 2, 3, 4])('whatever the order of the list: spectrum %d', (seed) => {
    const random = randomOf(seed);
    const tones = combOf(random, { at: orders.bpfi * 30 * 0.999, decibels: 25, side: 30 });
    const y = recorded(random, { count: 4_000, averages: 8, tones });
    const byLabel = (labels: ReadonlyArray<string>) => {
      const parts = rate(
        labels.map((label) => ({ label, bearing })),
        { shaft: 30, y, orders },
      );
      return Object.fromEntries(labels.map((label, at) => [label, parts[at]?.halIndex ?? 0]));
    };
    const both = byLabel(['BSF', 'BPFI']);
    expect(both).toEqual(byLabel(['BPFI', 'BSF']));
    expect(both['BPFI']).toBeGreaterThan(5);
    expect(both['BSF']).toBeLessThan(3.5);
  });
});

describe('of HALs of which one is looked for at twice the frequency of the other, that with more lines has them', () => {
  test.each([
    [190, 32.17295],
    [1_436, 32.42425],
    [1_653, 36.4006],
  ])('spectrum %d', (seed, shaft) => {
    const random = randomOf(seed);
    const tones = [
      ...combOf(random, { at: shaft, decibels: 12, fall: 0.8 }),
      ...combOf(random, { at: 2.555 * shaft * 0.991, decibels: 20.5, fall: 0.3 }),
    ];
    const y = recorded(randomOf(seed + 1), { count: 3_000, averages: 8, tones, resonance: 10 });
    const [twice, once] = rate([{ label: '4.917x' }, { label: '2.555x' }], { shaft, y });
    expect(once?.halIndex).toBeGreaterThan(5);
    expect(twice?.halIndex).toBeLessThan(3.5);
  });
});

describe('eight balls beside a strong shaft', () => {
  const orders = ordersBy(8, 0.23672);
  const spectrumOf = (shaft: number, strong: number, fault?: number): Rated => {
    const random = randomOf(11);
    const tones = [
      ...combOf(random, { at: shaft, decibels: strong, fall: 0.8 }),
      ...(fault === undefined ? [] : combOf(random, { at: orders.bpfo * shaft, decibels: fault })),
    ];
    return { shaft, y: recorded(random, { count: 3_000, averages: 8, tones }), orders };
  };
  const hals = [{ label: 'BPFO', bearing }];

  test('are found by the harmonics that the shaft leaves free', () => {
    expect(rate(hals, spectrumOf(25, 35, 20))[0]?.halIndex).toBeGreaterThan(3.5);
    expect(rate(hals, spectrumOf(25, 35))[0]?.halIndex).toBeLessThan(2);
  });

  test('are NO_DATA with the spacing that would do, where hardly any is free', () => {
    const [part] = rate(hals, spectrumOf(6, 35, 20));
    expect(part?.errorDescription).toMatch(/^cannot be told from 3x: measure with lines at most 0\.\d+ Hz apart$/u);
  });
});

describe('a fault that runs onto a multiple of the shaft', () => {
  const SHAFT = 97;
  const hals = [{ label: '3.0531x', upperAlert: 3.5 }];
  const eachOf = (tonesBy: (random: ReturnType<typeof randomOf>) => Parameters<typeof recorded>[1]['tones']) =>
    Array.from({ length: 40 }, (_, seed) => {
      const random = randomOf(seed);
      const y = recorded(random, { count: 4_000, averages: 8, tones: tonesBy(random) ?? [] });
      const [part] = rate(hals, { shaft: SHAFT, y });
      return part?.errorDescription ?? 'rated';
    });

  test.each([15, 25])('is NO_DATA instead of GOOD, beside a shaft of %d dB', (decibels) => {
    const found = eachOf((random) => [
      ...combOf(random, { at: SHAFT, decibels, fall: 1 }),
      ...combOf(random, { at: 3 * SHAFT, decibels: 25 }),
    ]);
    const hidden = found.filter((one) => one === 'coincides with 3x, which stands out');
    expect(hidden.length).toBeGreaterThanOrEqual(38);
  });

  test.each([
    ['unbalance', 30, 2],
    ['misalignment', 25, 1],
    ['looseness', 25, 0.3],
    ['much looseness', 45, 0.3],
  ])('is not assumed where the shaft has %s', (_, decibels, fall) => {
    const found = eachOf((random) => combOf(random, { at: SHAFT, decibels, fall }));
    expect(found.filter((one) => one !== 'rated').length).toBeLessThanOrEqual(2);
  });
});
