import { describe, expect, test } from 'vitest';
import type { HalPart } from '../../../../../../workflows/domain/alarm/parts';
import type { WindowFunction } from '../../../../../../workflows/domain/measurement/spectrum';
import { rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import type { DefectOrders } from '../../../../../../workflows/domain/rating/vibration/bearings/bearing';
import type { Hal } from '../../../../../../workflows/domain/threshold/hal';
import { evenLines, measuredSpectrum } from '../../../../../support/packed-lines';
import { plainComb } from '../../../../../support/synthesis/plain-comb';
import { between, randomOf, type Random } from '../../../../../support/synthesis/random';
import { combOf, ordersBy, recorded } from '../../../../../support/synthesis/tones';

/** The trials of each case; `HAL_TRIALS=50` makes them fifty times as many. */
const TRIALS = 20 * Number(process.env['HAL_TRIALS'] ?? 1);

const faults = ['bpfo', 'bpfi', 'bsf', 'ftf'] as const;
const bearings = { nine: ordersBy(9, 0.20338), eight: ordersBy(8, 0.23672), eightMore: ordersBy(8, 0.22923) };

const halsOf = (modelNumber: keyof typeof bearings): ReadonlyArray<Hal> =>
  faults.map((fault) => ({ label: fault.toUpperCase(), bearing: { manufacturer: 'ACME', modelNumber } }));

/** The parts of `hals` in lines 1 Hz apart, the shaft at `shaft` Hz. */
const rate = (
  hals: ReadonlyArray<Hal>,
  shaft: number,
  y: Float64Array,
  windowFunction: WindowFunction = 'hann',
): ReadonlyArray<HalPart> =>
  rateSpectrum(
    ratingRules({ halAlarms: hals }, { bearings: resolved }),
    measuredSpectrum({ speed: shaft * 60, xUnit: 'Hz', yUnit: 'g', windowFunction, lines: evenLines(0, 1, [...y]) }),
  ).hals ?? [];
const resolved = Object.entries(bearings).map(([modelNumber, orders]) => ({
  manufacturer: 'ACME',
  modelNumber,
  orders,
}));

const indices = (parts: ReadonlyArray<HalPart>): ReadonlyArray<number> => parts.map(({ halIndex = 0 }) => halIndex);
const trials = <A>(seed: number, of: (random: Random, trial: number) => A, count = TRIALS): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, trial) => of(randomOf(seed + trial), trial));
const share = (found: ReadonlyArray<boolean>): number => found.filter(Boolean).length / found.length;

/** A fault of `bearing` that slips, beside harmonics of the shaft. */
const faulty = (random: Random, orders: DefectOrders, fault: 'bpfo' | 'bpfi', shaft: number, decibels: number) => [
  ...combOf(random, { at: shaft, decibels: 20, fall: 0.8 }),
  ...combOf(random, {
    at: orders[fault] * shaft * between(random, 0.985, 1),
    ...{ decibels, jitter: 3e-4, side: fault === 'bpfi' ? shaft : 0 },
  }),
];

describe.each(['rectangular', 'hann', 'flattop'] as const)('noise through a %s window', (noiseWindow) => {
  test.each([400, 1_600, 25_600])('of %d lines raises none of its HALs', (count) => {
    const read = trials(1, (random, trial) => {
      const averages = [1, 4, 16, 64][trial % 4] ?? 1;
      const y = recorded(random, { count, averages, slope: trial % 2 === 0 ? 0 : 35, noiseWindow });
      const hals = [...halsOf('nine'), ...halsOf('eight')];
      return indices(rate(hals, between(random, 8, count / 15), y, noiseWindow));
    }).flat();
    expect(share(read.map((index) => index >= 3.5))).toBeLessThanOrEqual(0.001);
    expect(Math.max(...read)).toBeLessThan(5);
  });
});

describe('two bearings on a shaft', () => {
  test.each([
    ['nine', 'eight', 0.95],
    ['eight', 'nine', 0.75], // some of its faults run where the shaft's multiples do
  ] as const)('a fault of %s balls at 30 dB raises HALs of %s balls in at most 5 of 100', (ill, well, found) => {
    const read = trials(100, (random, trial) => {
      const shaft = between(random, 30, 60);
      const tones = faulty(random, bearings[ill], trial % 2 === 0 ? 'bpfo' : 'bpfi', shaft, 30);
      const y = recorded(random, { count: 4_000, averages: 4, tones });
      const parts = indices(rate([...halsOf(ill), ...halsOf(well)], shaft, y));
      return { own: (parts[trial % 2] ?? 0) >= 3.5, other: Math.max(...parts.slice(4)) >= 3.5 };
    });
    expect(share(read.map(({ own }) => own))).toBeGreaterThanOrEqual(found);
    expect(share(read.map(({ other }) => other))).toBeLessThanOrEqual(0.05);
  });
});

test('a wrong speed of 1 % costs at most three in a hundred of what is found', () => {
  const foundAt = (error: number): number =>
    share(
      trials(200, (random, trial) => {
        const shaft = between(random, 30, 60);
        const y = recorded(random, {
          ...{ count: 4_000, averages: 4 },
          tones: faulty(random, bearings.nine, trial % 2 === 0 ? 'bpfo' : 'bpfi', shaft, 20),
        });
        return (
          (indices(rate(halsOf('nine'), shaft * (1 + (trial % 4 < 2 ? error : -error)), y))[trial % 2] ?? 0) >= 3.5
        );
      }),
    );
  expect(foundAt(0) - foundAt(0.01)).toBeLessThanOrEqual(0.03);
  expect(foundAt(0)).toBeGreaterThanOrEqual(0.9);
});

test('harmonics 5 to 12 lines apart are found, also of eight balls beside a strong shaft, and a healthy shaft raises none', () => {
  const read = trials(300, (random, trial) => {
    const shaft = between(random, 2, 3);
    const isHealthy = trial % 4 === 3;
    const tones = combOf(random, { at: 3.58478 * shaft * between(random, 0.99, 1), decibels: 20 });
    const y = recorded(random, {
      count: 400,
      averages: 16,
      tones: isHealthy ? combOf(random, { at: shaft, decibels: 15 }) : tones,
    });
    const parts = indices(rate(halsOf('nine'), shaft, y));
    return { isHealthy, isFound: isHealthy ? Math.max(...parts) >= 3.5 : (parts[0] ?? 0) >= 3.5 };
  });
  expect(share(read.filter(({ isHealthy }) => !isHealthy).map(({ isFound }) => isFound))).toBeGreaterThanOrEqual(0.6);
  expect(share(read.filter(({ isHealthy }) => isHealthy).map(({ isFound }) => isFound))).toBeLessThanOrEqual(0.05);
});

test('harmonics 5 to 12 lines apart, of any averages are found at least as often as by a plain comb, where one healthy machine in twenty alarms', () => {
  const read = trials(
    600,
    (random, trial) => {
      const shaft = between(random, 1.5, 3.3);
      const isHealthy = trial % 2 === 0;
      const fault = { at: bearings.nine.bpfo * shaft * between(random, 0.985, 1), decibels: 12 };
      const tones = [
        ...combOf(random, { at: shaft, decibels: 20, fall: 0.8 }),
        ...(isHealthy ? [] : combOf(random, fault)),
      ];
      const averages = [1, 4, 16, 64][(trial >> 1) % 4] ?? 1;
      const y = recorded(random, { count: 400, averages, tones });
      const [index = 0] = indices(rate(halsOf('nine'), shaft, y));
      return { isHealthy, index, comb: plainComb(y, bearings.nine.bpfo * shaft) };
    },
    10 * TRIALS,
  );
  const foundBy = (how: 'index' | 'comb'): number => {
    const healthy = read.filter(({ isHealthy }) => isHealthy).map((one) => one[how]);
    const limit = healthy.sort((one, other) => other - one)[Math.floor(healthy.length / 20)] ?? 0;
    return share(read.filter(({ isHealthy }) => !isHealthy).map((one) => one[how] > limit));
  };
  expect(foundBy('index')).toBeGreaterThanOrEqual(0.75);
  expect(foundBy('index')).toBeGreaterThanOrEqual(foundBy('comb'));
});

const trialsOf = (hals: ReadonlyArray<Hal>): number =>
  share(
    trials(400, (random) => {
      const shaft = between(random, 20, 40);
      const tones = [
        ...combOf(random, { at: 12 * shaft, decibels: 30 }),
        ...combOf(random, { at: shaft, decibels: 15 }),
      ];
      const parts = indices(
        rate([...halsOf('nine'), ...hals], shaft, recorded(random, { count: 4_000, averages: 4, tones })),
      );
      return Math.max(...parts.slice(0, 4)) >= 3.5;
    }),
  );
test('a tooth mesh that a HAL names raises no HAL of a bearing', () => {
  expect(trialsOf([{ label: '12 TOOTH SPROCKET' }])).toBeLessThanOrEqual(0.05);
});

test('a belt and another machine raise a HAL in at most three of twenty, of eight balls or nine', () => {
  const alarms = trials(500, (random, trial) => {
    const shaft = between(random, 30, 60);
    const tones = [
      ...combOf(random, { at: shaft, decibels: 20, fall: 0.8 }),
      ...combOf(random, { at: shaft * between(random, 0.3, 1.8), decibels: 20, fall: 0.7 }),
      ...combOf(random, { at: shaft * between(random, 0.3, 4.3), decibels: between(random, 10, 25) }),
    ];
    const y = recorded(random, { count: 4_000, averages: 4, tones, resonance: 20 });
    return Math.max(...indices(rate(halsOf(trial % 2 === 0 ? 'nine' : 'eightMore'), shaft, y))) >= 3.5;
  });
  expect(share(alarms)).toBeLessThanOrEqual(0.15);
});
