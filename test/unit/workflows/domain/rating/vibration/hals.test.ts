import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { randomOf } from '../../../../../support/synthesis/random';
import {
  amplitudesOf,
  packPlaces,
  positionsOf,
  type PackedLines,
} from '../../../../../../workflows/domain/measurement/packed-lines';
import type { Spectrum } from '../../../../../../workflows/domain/measurement/spectrum';
import type { HalPart } from '../../../../../../workflows/domain/alarm/parts';
import { linesInHz, valueAt } from '../../../../../../workflows/domain/rating/vibration/spectral-lines';
import { rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import type { Hal } from '../../../../../../workflows/domain/threshold/hal';
import type { ResolvedBearing } from '../../../../../../workflows/domain/rating/vibration/bearings/bearing';
import { frequencyOfLabel } from '../../../../../../workflows/domain/rating/vibration/hal/hal-label';
import { findHals } from '../../../../../../workflows/domain/rating/vibration/hal/rate-hals';
import { evenLines, measuredSpectrum, unevenLines } from '../../../../../support/packed-lines';

const { measurementId } = measuredSpectrum({ speed: 0, xUnit: 'Hz', yUnit: 'g' });
const skf = { manufacturer: 'SKF', modelNumber: '6205' };

/** A noise floor of 1 to 2 with peaks of 20 at `peaks` Hz, through lines 0.5 Hz apart. */
const noiseWith = (peaks: ReadonlyArray<number>, count = 2_000): PackedLines => {
  const random = randomOf(7);
  const y = Array.from({ length: count }, () => 1 + random());
  for (const hz of peaks) y[Math.round(hz * 2)] = 20;
  return evenLines(0, 0.5, y);
};

const harmonicsOf = (hz: number, count = 10): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => (index + 1) * hz);

/** The shaft turns with 25 Hz. */
const seen = (lines: PackedLines | undefined, change: Partial<Spectrum> = {}): Spectrum => ({
  speed: 1500,
  xUnit: 'Hz',
  yUnit: 'g',
  ...(lines !== undefined && { lines }),
  ...change,
});

const rate = (hals: ReadonlyArray<Hal>, spectrum: Spectrum, bearings: ReadonlyArray<ResolvedBearing> = []) =>
  rateSpectrum(ratingRules({ halAlarms: hals }, { bearings }), measuredSpectrum(spectrum)).hals ?? [];

const failed = (errorDescription: string): HalPart => ({
  status: 1,
  triggeringMeasurement: measurementId,
  errorDescription,
});

describe('a label', () => {
  test.each([
    ['BPFO', 'bpfo'],
    ['bpfi', 'bpfi'],
    ['Drive end BSF', 'bsf'],
    ['DE_FTF_2', 'ftf'],
    ['1x BPFO', 'bpfo'],
    ['2x BSF', 'bsf'],
    ['BPFI (inner race), BPFI', 'bpfi'],
  ])('%s names the bearing fault %s', (label, fault) => {
    expect(frequencyOfLabel(label)).toEqual(E.right([fault]));
  });

  test.each([
    ['1x', 1],
    ['10x RPM', 10],
    ['10xRPM', 10],
    ['10 X rpm', 10],
    ['1x RPM unbalance', 1],
    ['0.47x whirl', 0.47],
    ['0,5x', 0.5],
    ['3,5x', 3.5],
    ['.5x', 0.5],
    ['1/2x', 1 / 2],
    ['1/3x', 1 / 3],
    ['3/2x', 3 / 2],
    ['1 / 2 x', 1 / 2],
    ['1 1/2x', 1.5],
    ['½x', 0.5],
    ['1½x', 1.5],
    ['2 ¾ × RPM', 2.75],
    ['⅓x', 1 / 3],
    ['1⁄2x', 0.5],
    ['1∕2x', 0.5],
    ['1÷2x', 0.5],
    ['Bearing 1: 1x', 1],
    ['Pump 2, stage 1x', 1],
    ['Fan · 1x', 1],
    ['1x / shaft', 1],
    ['2,625x', 2.625],
    ['lobes 5×', 5],
    ['Motor - 1x', 1],
    ['Line 3 pump 1x', 1],
    ['1x, belt side', 1],
    ['Gearbox, 4-pole motor 1x', 1],
    ...[
      ...['1x shaft frequency', '1x rotational frequency', '1x Drehfrequenz', '1xTS', '1xfn', '1xRS', 'Supply fan 1x'],
      ...['Belt driven fan 1x', 'Belt conveyor drive 1x', 'Slip ring motor 1x', 'Gear motor 1x', 'Motor, 4-pole, 1x'],
      ...['1x permanent magnet motor', '1x peripheral pump', '1x passenger lift', '1x RPM 2950', '1x shaft 2950 rpm'],
      ...['Electrical motor 1x', 'Output side 1x', 'Riemenseite 1x', 'Getriebemotor 1x', 'Pump 2 1x'],
    ].map((label): [string, number] => [label, 1]),
    ['gear of 12 teeth (12x)', 12],
    ['DE-1x', 1],
    ['12 TOOTH SPROCKET', 12],
    ['12-tooth sprocket', 12],
    ['gear of 31 teeth', 31],
    ['12 TOOTH (12x)', 12],
  ])('%s names %d times the shaft', (label, factor) => {
    expect(frequencyOfLabel(label)).toEqual(E.right(factor));
  });

  const ranges = [
    ...['1 bis 3x', '1 until 3x', '1x to nx', '1x bis nx'],
    ...['1 thru 2x', '1 through 2x', '1x thru 2x'],
    '1-10x',
    '1x-10x',
    '1–10x',
    '1x..10x',
    '1…10x',
    '1 to 10x',
    '1/2-3x',
  ];
  const notOfTheShaft = [
    ...['2x line frequency', '2x LF', '2xLF', 'LF 2x', '2 x line freq.', '5x BPF', '5xBPF', '2x GMF', 'GMF'],
    ...['2x gear mesh', '3x blade pass', '2x belt', '2x mains', '2x 50 Hz', '2x BPFI', 'BPFI 3x', '2xBPFO'],
    ...[
      '2x Netz',
      'Netz 2x',
      'Riemen 2x',
      'Keilriemen 1x',
      'Schlupf 2x',
      'Polpass 2x',
      'Zahneingriff 23x',
      'Schaufel 7x',
    ],
    ...['Laufschaufelpassage 7x', 'Kette 1x', '7x fan pass', '36x slot pass', '2 x per week', '10x/min', '3x pro Tag'],
    ...[
      '1x output shaft',
      '1x shaft 2',
      '1x shaft 12',
      '2xRPM2',
      '2x RPM 2',
      '1x Zwischenwelle',
      '1x Abtriebswelle',
      '1x 2. Welle',
    ],
    ...[
      '1x countershaft',
      '12 tooth pinion, output shaft',
      'gear 12 teeth on shaft 2',
      'BPFO output shaft',
      'Welle 2: 1x',
    ],
    ...['50% BPFO', 'half BPFO', '√BPFO', 'BPFO ½', 'BPFI twice', 'halbe BPFO'],
    ...['12 TOOTH, FTF', '1 TOOTH BPFO', 'gear mesh 2x', 'belt 2x', 'supply 2x', 'pole pass 2x', 'blade pass 5x'],
    ...[
      'vane pass 5×',
      '2x (belt)',
      '2x electrical',
      'line 2x',
      'line: 2x',
      '2x, mesh',
      ...['1/2 BPFO', '½ BPFO', '½BPFO', '0.5 BPFO', '2·BPFO', '2 * BPFO', '2 / BPFO', 'BPFO*2', 'BPFO^2'],
      'BPFO/2',
      'BPFO x 2',
      '2*BPFI',
    ],
  ];
  const several = [
    ...['BPFO/BPFI', '1x, 2x', '1x 2x', '12 TOOTH at 3x', '1x/2x', '1x,2x', '12 teeth/31 teeth', '12 and 31 teeth'],
    ...[
      '½ ½ ½ ½ ½x',
      'BPFI + 1x',
      'BPFI+1x',
      'BPFI 1x',
      '1x + BPFI',
      '1x/BPFI',
      'BSF 2x',
      '1 and 2x',
      '1 + 2x',
      '1 & 2x',
      '1, 2x',
      'harmonics 1, 2, 3x',
      ...['1 2 3x', '1 und 2x', '1 oder 2x', 'P-101 1/2x', 'Motor 12 1/2x', 'Fan 2 1/2x', 'Motor 3 x 400 V'],
    ],
  ];
  const calculated = [
    ...['1:2x', '1x/2', '1x / 2', '2x/3', '2x*3', '2*3x', '2x^2', '10^2x', '√2x', '½1x', '1·5x', "1'200x", '1 200x'],
    ...['1,000x', '1+2x', '1&2x', '1;2x', 'BPFO+RPM', 'BPFO-RPM', 'BPFO ± RPM', 'BPFO - 2'],
    ...['BPFI - fn', 'BPFI plus RPM', 'BPFI minus 1', 'BPFI - fr'],
    ...['12-31 TEETH', '12:31 TEETH', '12+31 TEETH', '2*12 TOOTH', '12 TOOTH x2', '12 TOOTH * 2', '12 TOOTH/2'],
  ];
  const nothing = [
    ...['', 'Gearbox', 'BPFOX', 'XBPFO', '0x', '1/0x', 'x RPM', '1x2', 'TOOTH', '0 TOOTH', '1.2.3x', 'a/2x'],
  ];
  const because =
    (why: string) =>
    (label: string): [string, string] => [label, why];
  test.each<[string, string]>([
    ...ranges.map(because('the label names a range, not one multiple')),
    ...['-1x', '- 1x', '−1x', 'sideband +1x', '±1x RPM'].map(because('the label names a multiple with a sign')),
    ...notOfTheShaft.map(because('the label names a frequency that is not of the shaft')),
    ...several.map(because('the label names several frequencies')),
    ...calculated.map(because('the label names a calculation, not one frequency')),
    ...nothing.map(because('the label names no frequency')),
  ])('%j is not read as something near: %s', (label, why) => {
    expect(frequencyOfLabel(label)).toEqual(E.left(why));
    expect(rate([{ label }], seen(noiseWith([])))).toEqual([failed(why)]);
  });
});

describe('a HAL', () => {
  test('of a multiple of the shaft reports what it found', () => {
    const [part] = rate([{ label: '3x RPM', upperAlert: 3, upperDanger: 30 }], seen(noiseWith(harmonicsOf(75))));
    expect(part).toEqual({
      status: 3,
      triggeringMeasurement: measurementId,
      faultFrequency: 75,
      halIndex: expect.closeTo(8, 0) as number,
      numberOfHarmonicsUsed: 10,
      rpmFactor: 3,
    });
  });

  test.each([
    [{}, 2],
    [{ upperAlert: 100, upperDanger: 200 }, 2],
    [{ upperAlert: 5, upperDanger: 200 }, 3],
    [{ upperAlert: 5, upperDanger: 6 }, 4],
    [{ upperDanger: 6 }, 4],
    [{ upperAlert: 5 }, 3],
  ])('with the limits %j reads %d', (limits, status) => {
    const [part] = rate([{ label: '3x RPM', ...limits }], seen(noiseWith(harmonicsOf(75))));
    expect(part?.status).toBe(status);
  });

  test('counts the first ten harmonics, as far as the spectrum reaches', () => {
    expect(rate([{ label: '12 TOOTH' }], seen(noiseWith([])))[0]?.numberOfHarmonicsUsed).toBe(3);
    expect(rate([{ label: '2x' }], seen(noiseWith([])))[0]?.numberOfHarmonicsUsed).toBe(10);
  });

  test('counts no harmonic that a strong multiple of the shaft hides', () => {
    const bearing = { manufacturer: 'ACME', modelNumber: 'A 1' };
    const resolved = [{ ...bearing, orders: { ftf: 0.4, bsf: 2.3, bpfo: 3.05, bpfi: 4.95 } }];
    const [part] = rate([{ label: 'BPFO', bearing }], seen(noiseWith(harmonicsOf(25, 39))), resolved);
    expect(part?.numberOfHarmonicsUsed).toBe(9);
  });

  test('finds a bearing that slips by 2 %, and says where the fault would be without', () => {
    const orders = { ftf: 0.39831, bsf: 2.35672, bpfo: 3.58478, bpfi: 5.41522 };
    const bearing = { manufacturer: 'ACME', modelNumber: 'A 1' };
    const resolved = [{ ...bearing, orders }];
    const [part] = rate([{ label: 'BPFO', bearing }], seen(noiseWith(harmonicsOf(25 * orders.bpfo * 0.981))), resolved);
    expect(part?.faultFrequency).toBeCloseTo(25 * orders.bpfo, 9);
    expect(part?.rpmFactor).toBe(orders.bpfo);
    expect(part?.halIndex).toBeGreaterThan(5);
  });

  test('finds bearings of the same orders alike, in whatever order they are written', () => {
    const orders = { ftf: 0.39831, bsf: 2.35672, bpfo: 3.58478, bpfi: 5.41522 };
    const resolved = ['A 1', 'A 2'].map((modelNumber) => ({ manufacturer: 'ACME', modelNumber, orders }));
    const hals = resolved.map(({ manufacturer, modelNumber }) => ({
      label: 'BPFO',
      bearing: { manufacturer, modelNumber },
    }));
    const lines = seen(noiseWith(harmonicsOf(25 * orders.bpfo)));
    const parts = rate(hals, lines, resolved);
    expect(parts[0]?.halIndex).toBeGreaterThan(5);
    expect(parts[1]?.halIndex).toBe(parts[0]?.halIndex);
    expect(rate(hals.toReversed(), lines, resolved).toReversed()).toEqual(parts);
  });

  test('does not take harmonics of the shaft for a fault beside them', () => {
    const strong = noiseWith(harmonicsOf(25, 39));
    const [shaft, fault] = rate([{ label: '1x' }, { label: '2.95x' }], seen(strong));
    expect(shaft?.halIndex).toBeGreaterThan(7);
    expect(fault?.halIndex).toBeLessThan(2);
  });

  test('of eight balls is not taken for the shaft, however strong it is beside a multiple', () => {
    const y = Array.from(amplitudesOf(noiseWith(harmonicsOf(25, 4))));
    for (const hz of harmonicsOf(75.7)) y[Math.round(hz * 2)] = 200;
    const [part] = rate([{ label: '3.05x' }], seen(evenLines(0, 0.5, y)));
    expect(part?.halIndex).toBeGreaterThan(5);
  });

  test('coincides with a multiple of the shaft that stands out, and rates where none does', () => {
    const hals = [{ label: '1.996x', upperAlert: 3.5 }];
    expect(rate(hals, seen(noiseWith(harmonicsOf(50))))).toEqual([failed('coincides with 2x, which stands out')]);
    expect(rate(hals, seen(noiseWith([])))).toEqual([expect.objectContaining({ status: 2 })]);
  });

  test('fails alone', () => {
    const hals: ReadonlyArray<Hal> = [
      { label: 'BPFO', bearing: { manufacturer: 'ACME', modelNumber: 'X-9' } },
      { label: 'BPFO', bearing: skf },
      { label: 'BPFO' },
      { label: '1x RPM', bearing: { manufacturer: 'ACME', modelNumber: 'X-9' } },
    ];
    expect(rate(hals, seen(noiseWith([])))).toEqual([
      failed('unknown bearing ACME X-9'),
      expect.objectContaining({ status: 2 }),
      failed('the label names BPFO, but no bearing is given'),
      expect.objectContaining({ status: 2, rpmFactor: 1 }),
    ]);
  });

  const far = seen(evenLines(5000, 1, Array<number>(50).fill(1)));
  test.each<[string, Hal, Spectrum]>([
    [
      'its harmonics are 2.5 lines apart, 5 are needed: measure this range with 800 lines',
      { label: '1x' },
      seen(evenLines(0, 10, Array<number>(400).fill(1))),
    ],
    [
      'its harmonics are 0.0025 lines apart, 5 are needed',
      { label: '0.001x' },
      seen(evenLines(0, 10, Array<number>(400).fill(1))),
    ],
    ['the spectrum has no lines', { label: '1x' }, seen(undefined)],
    ['the spectrum has no lines', { label: '1x' }, seen(evenLines(0, 1, []))],
    ['the x unit furlong is not understood', { label: '1x' }, seen(noiseWith([]), { xUnit: 'furlong' })],
    ['the speed is 0', { label: '1x' }, seen(noiseWith([]), { speed: 0 })],
    ['the speed is 0', { label: '1x' }, seen(noiseWith([]), { speed: 0, xUnit: 'orders' })],
    ['the lines have no spacing', { label: '1x' }, seen(evenLines(25, 0, [1]))],
    ['the lines have no spacing', { label: '1x' }, seen(evenLines(25, 0, [1, 2, 3]))],
    ['the lines have no spacing', { label: '1x' }, seen(evenLines(0, 1e307, Array<number>(50).fill(1)))],
    ['fewer than two harmonics lie inside the spectrum', { label: '99x' }, seen(noiseWith([]))],
    ['fewer than two harmonics lie inside the spectrum', { label: `${'9'.repeat(30)}x` }, seen(noiseWith([]))],
    ['fewer than two harmonics lie inside the spectrum', { label: '1x' }, far],
    [
      'fewer than two harmonics lie inside the spectrum',
      { label: 'any fault of a bearing', halAlarmType: 'GLOBAL', bearing: skf },
      far,
    ],
    ['only peaks', { label: '1x' }, seen(evenLines(0, 0.5, Array<number>(200).fill(0)))],
    ['fewer than two harmonics lie inside the spectrum', { label: '1x' }, seen(evenLines(20, 5, [1, 2, 1]))],
    [
      'unknown bearing ACME ',
      { label: 'x', halAlarmType: 'GLOBAL', bearing: { manufacturer: 'ACME', modelNumber: '' } },
      seen(undefined),
    ],
  ])('says "%s"', (reason, hal, spectrum) => {
    expect(rate([hal], spectrum)).toEqual([failed(reason)]);
  });
});

describe('a GLOBAL HAL', () => {
  test('of a bearing is its greatest fault', () => {
    const bpfi = 25 * 5.41522;
    const hals: ReadonlyArray<Hal> = [
      { label: 'any fault', halAlarmType: 'GLOBAL', bearing: skf },
      { label: 'BPFI', halAlarmType: 'FREQUENCY', bearing: skf },
    ];
    const [global, frequency] = rate(hals, seen(noiseWith(harmonicsOf(bpfi, 7))));
    expect(frequency?.halIndex).toBeGreaterThan(5);
    expect(global).toEqual(frequency);
  });

  test('without a bearing is the harmonics of the shaft', () => {
    const hals: ReadonlyArray<Hal> = [{ label: 'machine', halAlarmType: 'GLOBAL' }, { label: '1x' }];
    const [global, shaft] = rate(hals, seen(noiseWith(harmonicsOf(25))));
    expect(global?.halIndex).toBeGreaterThan(8);
    expect(global).toEqual(shaft);
  });
});

test('bearings that were resolved with the threshold go before the built-in table', () => {
  const own = { ...skf, orders: { ftf: 0.4, bsf: 2.4, bpfo: 3.6, bpfi: 5.4 } };
  const hals: ReadonlyArray<Hal> = [{ label: 'BPFO', bearing: skf }];
  expect(rate(hals, seen(noiseWith([])), [own])[0]?.rpmFactor).toBe(3.6);
  expect(rate(hals, seen(noiseWith([])))[0]?.rpmFactor).toBeCloseTo(3.58478, 4);
});

/** The places of `count` lines from 20 Hz on, 0.5 Hz apart. */
const from20Hz = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => 20 + index / 2);
const even = noiseWith(harmonicsOf(75));
const above20Hz = Array.from(amplitudesOf(even)).slice(40);
const wobbling = Array.from(positionsOf(even), (place, index) => place + (index % 2) * 1e-3);
test.each([
  ['not evenly spaced', { x: packPlaces(wobbling), y: even.y }],
  ['from 20 Hz on, evenly spaced', evenLines(20, 0.5, above20Hz)],
  ['from 20 Hz on, at their own x', unevenLines(from20Hz(above20Hz.length), above20Hz)],
])('lines are rated like others: %s', (_name, lines) => {
  const [part] = rate([{ label: '3x RPM' }], seen(lines));
  expect(part?.halIndex).toBeGreaterThan(7.9);
  expect(part?.numberOfHarmonicsUsed).toBe(10);
});

test('lines far from 0 Hz are searched no longer than others', () => {
  const y = Array.from({ length: 12_800 }, (_, index) => 1 + (index % 7));
  const [part] = rate([{ label: '1x' }], seen(evenLines(1e9, 1e-3, y), { speed: 60 * (1e9 + 6) }));
  expect(part).toEqual(failed('fewer than two harmonics lie inside the spectrum'));
});

test.each([
  [0, 5],
  [1, 7],
  [-1, 0],
  [2, 0],
  [0.5, 0],
])('at place %d of two values stands %d: nothing beyond either end, nor between', (place, value) => {
  expect(valueAt(Float64Array.of(5, 7), place)).toBe(value);
});

test('HALs whose rating would take too many steps are NO_DATA, with the reason', () => {
  const { halRules } = ratingRules({ halAlarms: [{ label: '2x' }, { label: 'BPFO' }] });
  const lines = linesInHz(seen(noiseWith([])));
  expect(findHals(halRules, lines).map(({ found }) => E.isRight(found))).toEqual([true, false]);
  const why = 'the rating would take more work than a node may do for one spectrum';
  expect(findHals(halRules, lines, 100)[0]?.found).toEqual(E.left(why));
});

test.each([
  ['two lines that are nearly one', 1_500, [50, 50.000_000_000_01]],
  ['two lines beside a multiple of the shaft', 3_000, [50, 50.000_000_000_01]],
  ['lines far from 0 Hz', 1_500, Array.from({ length: 100 }, (_, index) => 1e6 + index / 1e6)],
  ['a shaft that turns too fast for the lines', 1e300, [1, 2, 3]],
  ['a shaft that hardly turns', 1e-300, [1, 2, 3]],
])(
  '%s are rated in an instant',
  (_name, speed, x) => {
    const amplitudes = x.map(() => 1);
    const hals = ['1x', 'BPFO', '0.47x'].map((label) => ({ label, bearing: skf }));
    expect(rate(hals, seen(unevenLines(x, amplitudes), { speed }))).toHaveLength(3);
  },
  1_000,
);
