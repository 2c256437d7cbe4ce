import { describe, expect, test } from 'vitest';
import type { BandPart } from '../../../../../../workflows/domain/alarm/parts';
import { rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import type { Spectrum } from '../../../../../../workflows/domain/measurement/spectrum';
import type { Band } from '../../../../../../workflows/domain/threshold/band';
import type { Threshold } from '../../../../../../workflows/domain/threshold/threshold';
import { evenLines, measuredSpectrum, unevenLines } from '../../../../../support/packed-lines';

/** Lines at 0, 10, ... 100 Hz; the amplitude is the number of the line, 50 at 0 Hz. */
const lines = evenLines(0, 10, [50, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
const spectrum: Spectrum = { speed: 1200, xUnit: 'Hz', yUnit: 'mm/s', lines };
const { measurementId } = measuredSpectrum(spectrum);

const rate = (bandAlarms: ReadonlyArray<Band>, of: Spectrum = spectrum, threshold: Threshold = {}) =>
  rateSpectrum(ratingRules({ ...threshold, bandAlarms }), measuredSpectrum(of)).bands ?? [];

const fixed = (value: number) => ({ value, valueType: 1 as const });
const multiple = (value: number) => ({ value, valueType: 2 as const });
const band = (minFrequency: Band['minFrequency'], maxFrequency: Band['maxFrequency']): Band => ({
  ...(minFrequency !== undefined && { minFrequency }),
  ...(maxFrequency !== undefined && { maxFrequency }),
});
const norm = (...values: ReadonlyArray<number>): number => Math.hypot(...values);
const valueOf = (part: BandPart | undefined): number | undefined => part?.calculatedOverall?.value;
const noData: BandPart = { status: 1, triggeringMeasurement: measurementId };

describe('the lines of a band', () => {
  test.each<[string, Band, ReadonlyArray<number>]>([
    ['from edge to edge, both included', band(fixed(20), fixed(40)), [2, 3, 4]],
    ['one line, where both edges lie on it', band(fixed(30), fixed(30)), [3]],
    ['between the edges', band(fixed(21), fixed(49)), [3, 4]],
    ['from 0, without the offset, when min is absent', band(undefined, fixed(20)), [1, 2]],
    ['from 0, without the offset, when min is 0', band(fixed(0), fixed(20)), [1, 2]],
    ['from 0, without the offset, when min is negative', band(fixed(-5), fixed(20)), [1, 2]],
    ['to the end, when max is absent', band(fixed(90), undefined), [9, 10]],
    ['to the end, when max lies beyond it', band(fixed(90), fixed(1e300)), [9, 10]],
    ['all but the offset, without edges', band(undefined, undefined), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['multiples of the shaft, which turns with 20 Hz', band(multiple(1), multiple(2.5)), [2, 3, 4, 5]],
    ['one edge fixed, one a multiple', band(fixed(30), multiple(2)), [3, 4]],
    ['an edge that noise puts beside its line', band(fixed(30.000000001), fixed(49.99999999999)), [3, 4, 5]],
  ])('%s', (_name, alarm, values) => {
    const [part] = rate([alarm]);
    expect(part).toEqual({
      status: 2,
      triggeringMeasurement: measurementId,
      calculatedOverall: { value: expect.closeTo(norm(...values), 12) as number, unit: 'mm/s' },
    });
  });

  test.each<[string, Band, Partial<Spectrum>]>([
    ['wholly above the spectrum', band(fixed(101), fixed(200)), {}],
    ['wholly below it', band(fixed(1), fixed(9)), {}],
    ['between two lines', band(fixed(31), fixed(39)), {}],
    ['only on the offset', band(fixed(0), fixed(0)), {}],
    ['below 0 Hz', band(fixed(-9), fixed(-1)), {}],
    ['with edges that fall at the speed measured', band(fixed(50), multiple(1)), {}],
    ['with a multiple of a speed of 0 below', band(multiple(0), fixed(50)), { speed: 0 }],
    ['with a multiple of a speed of 0 above', band(fixed(0), multiple(1)), { speed: 0 }],
    ['of a spectrum in orders at a speed of 0', band(fixed(0), fixed(50)), { speed: 0, xUnit: 'orders' }],
    ['of a spectrum in an unknown unit', band(fixed(0), fixed(50)), { xUnit: 'parsec' }],
    ['of a spectrum in a unit that every object has', band(fixed(0), fixed(50)), { xUnit: 'constructor' }],
    ['of a spectrum of no lines', band(fixed(0), fixed(50)), { lines: evenLines(0, 0, []) }],
  ])('none, so NO_DATA: %s', (_name, alarm, change) => {
    expect(rate([alarm], { ...spectrum, ...change })).toEqual([noData]);
  });

  test('none without lines, so NO_DATA', () => {
    expect(rate([band(undefined, undefined)], { speed: 1200, xUnit: 'Hz', yUnit: 'g' })).toEqual([noData]);
  });

  test.each([
    ['Hz', 1],
    ['hz ', 1],
    ['Hertz', 1],
    ['1/s', 1],
    ['kHz', 1000],
    ['KHZ', 1000],
    ['CPM', 1 / 60],
    ['cpm', 1 / 60],
    ['rpm', 1 / 60],
    ['1 / min', 1 / 60],
    ['kCPM', 1000 / 60],
    ['order', 20],
    ['Orders', 20],
  ])('stand where the unit %s says', (xUnit, hertz) => {
    const [part] = rate([band(fixed(20 * hertz), fixed(40 * hertz))], { ...spectrum, xUnit });
    expect(valueOf(part)).toBeCloseTo(norm(2, 3, 4), 12);
  });

  test('stand at their own x where they are not evenly spaced', () => {
    const uneven = unevenLines([0.5, 1, 7, 7.5, 400], [1, 2, 3, 4, 5]);
    const [part] = rate([band(fixed(1), fixed(7.5))], { ...spectrum, lines: uneven });
    expect(valueOf(part)).toBeCloseTo(norm(2, 3, 4), 12);
  });

  test('may be a single one', () => {
    const [part] = rate([band(undefined, undefined)], { ...spectrum, lines: evenLines(5, 0, [3]) });
    expect(valueOf(part)).toBe(3);
  });

  test('may be 0, which is a value', () => {
    const [part] = rate([band(undefined, undefined)], { ...spectrum, lines: evenLines(5, 1, [0, 0]) });
    expect(part).toEqual({ ...noData, status: 2, calculatedOverall: { value: 0, unit: 'mm/s' } });
  });

  test.each([1e300, 1.79769e308, 5e-324, 1e-200])('give a finite value at amplitudes of %d', (amplitude) => {
    const [part] = rate([band(undefined, undefined)], { ...spectrum, lines: evenLines(1, 1, [amplitude, amplitude]) });
    expect(Number.isFinite(valueOf(part))).toBe(true);
    expect(valueOf(part)).toBeGreaterThanOrEqual(amplitude);
  });

  test.each([
    [0, 4],
    [200, 300],
    [100, 500],
  ])('keep their value beside a line 1e300 times as great: from line %d to line %d', (first, last) => {
    const y = Array.from({ length: 1_000 }, (_, line) => (line === 700 ? 1e300 : 4));
    const [part] = rate([band(fixed(first + 1), fixed(last + 1))], { ...spectrum, lines: evenLines(1, 1, y) });
    expect(valueOf(part)).toBeCloseTo(4 * Math.sqrt(last - first + 1), 9);
  });

  test('are divided by the noise bandwidth of the window', () => {
    const [part] = rate([band(fixed(20), fixed(40))], { ...spectrum, windowFunction: 'hann' });
    expect(valueOf(part)).toBeCloseTo(norm(2, 3, 4) / Math.sqrt(1.5), 12);
  });
});

describe('the limits of a band', () => {
  /** Its value is 5: the lines 3 and 4. */
  const five = band(fixed(30), fixed(40));
  const limited = (alert?: readonly [number, 1 | 2 | 3], danger?: readonly [number, 1 | 2 | 3]): Band => ({
    ...five,
    overallAlarmThreshold: {
      ...(alert !== undefined && { upperAlert: { value: alert[0], valueType: alert[1] } }),
      ...(danger !== undefined && { upperDanger: { value: danger[0], valueType: danger[1] } }),
    },
  });
  const bases: Threshold = { fullScale: 50, overall: { innerHigh: 2, outerHigh: 4 }, thresholdType: 2 };

  test.each<[string, Band, number]>([
    ['none: GOOD', five, 2],
    ['none in an empty threshold: GOOD', limited(), 2],
    ['below alert: GOOD', limited([5.1, 1], [6, 1]), 2],
    ['on alert: ALERT', limited([5, 1], [6, 1]), 3],
    ['on danger: DANGER', limited([4, 1], [5, 1]), 4],
    ['only danger, below it: GOOD', limited(undefined, [5.1, 1]), 2],
    ['only danger, above it: DANGER', limited(undefined, [4.9, 1]), 4],
    ['only alert: ALERT', limited([0, 1]), 3],
    ['a share of full scale, 50', limited([0.1, 2], [0.11, 2]), 3],
    ['a share of full scale for danger', limited([0.05, 2], [0.1, 2]), 4],
    ['a multiple of the overall limits, 2 and 4', limited([2.5, 3], [1.3, 3]), 3],
    ['a multiple of the overall limit for danger', limited([1, 3], [1.25, 3]), 4],
    ['of mixed types', limited([0.2, 2], [1.25, 3]), 4],
  ])('%s', (_name, alarm, status) => expect(rate([alarm], spectrum, bases)[0]?.status).toBe(status));

  // 3 x 0.1 is 0.30000000000000004 in binary, and 7 x 0.1 is 0.7000000000000001.
  test.each<[string, ReadonlyArray<number>, Threshold, readonly [number, 1 | 2 | 3], number]>([
    ['0.1 of a full scale of 3', [0.3], { fullScale: 3 }, [0.1, 2], 4],
    ['0.1 of a full scale of 7', [0.7], { fullScale: 7 }, [0.1, 2], 4],
    ['3 times an overall limit of 0.1', [0.3], { overall: { outerHigh: 0.1 } }, [3, 3], 4],
    ['a limit that its sender multiplied', [0.3], {}, [3 * 0.1, 1], 4],
    ['a value that is greater by noise alone', [0.7], {}, [0.7, 1], 4],
    ['a limit that is greater in its twelfth digit', [0.3], {}, [0.300000000001, 1], 2],
    ['a limit that is greater in its thirteenth digit', [0.3], {}, [0.3000000000001, 1], 4],
    ['the last digit of an amplitude below the limit', [0.299999], { fullScale: 3 }, [0.1, 2], 2],
    ['a limit of 0', [0], {}, [0, 1], 4],
    ['the least amplitude below the limit of twice as much', [5e-324], {}, [1e-323, 1], 2],
    ['a product that no number can hold, which alarms', [1], { fullScale: 1e308 }, [1e308, 2], 4],
  ])('are compared as decimals: %s', (_name, y, threshold, danger, status) => {
    const alarm = { overallAlarmThreshold: { upperDanger: { value: danger[0], valueType: danger[1] } } };
    expect(rate([alarm], { ...spectrum, lines: evenLines(10, 10, y) }, threshold)[0]?.status).toBe(status);
  });

  test('are reached by lines of 3 and 4 parts where they are 5 parts, and by no less', () => {
    const missed = Array.from({ length: 39 }, (_, index) => index + 1).filter((part) => {
      const [three, four, five] = [(3 * part) / 1_000, (4 * part) / 1_000, (5 * part) / 1_000];
      const of = { ...spectrum, lines: evenLines(10, 10, [three, four]) };
      const statuses = [five, five * (1 + 1e-11)].map((value) => {
        const upperAlert = { value, valueType: 1 as const };
        return rate([{ overallAlarmThreshold: { upperAlert } }], of)[0]?.status;
      });
      return statuses[0] !== 3 || statuses[1] !== 2;
    });
    expect(missed).toEqual([]);
  });

  test('relative to a base that is missing alarm rather than hide', () => {
    expect(rate([limited(undefined, [100, 2])])[0]?.status).toBe(4);
    expect(rate([limited([100, 3])])[0]?.status).toBe(3);
  });
});

test('bands keep the positions of the threshold, each rated alone', () => {
  const parts = rate([band(fixed(500), undefined), band(fixed(10), fixed(10)), band(undefined, undefined)]);
  expect(parts.map(({ status }) => status)).toEqual([1, 2, 2]);
  expect(valueOf(parts[1])).toBe(1);
});

test('a threshold without bands and HALs gets no parts', () => {
  expect(rateSpectrum(ratingRules({}), measuredSpectrum(spectrum))).toEqual({});
});
