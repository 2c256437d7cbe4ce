import { describe, expect, test } from 'vitest';
import { DOCUMENT_BYTES, hardLimits, TAGS_BYTES } from '../../../../../workflows/domain/limits';
import { measurementInput, storedMeasurement } from '../../../../../workflows/domain/measurement/measurement';
import { amplitudesOf } from '../../../../../workflows/domain/measurement/packed-lines';
import { windowFunctions } from '../../../../../workflows/domain/measurement/spectrum';
import { evenLines, unevenLines } from '../../../../support/packed-lines';
import { decoded, reasonsOf } from '../../../../support/reasons-of';
import { answers, dataPoint, spectrum } from '../../../../support/measurements';

const codec = measurementInput(hardLimits);
const about = { speed: 1500, xUnit: 'Hz', yUnit: 'mm/s' };
const at = (createdAt: unknown) => dataPoint(1, { createdAt });
const lines = (...coordinates: ReadonlyArray<Readonly<Record<string, unknown>>>) => spectrum(coordinates);
const evenly = (count: number) => Array.from({ length: count }, (_, index) => ({ x: index, y: 1 }));
const linesAt = (...x: ReadonlyArray<number>) => lines(...x.map((place) => ({ x: place, y: 1 })));
const withSpectrum = (more: object) => spectrum([], { spectrum: { ...about, ...more } });
const many = (count: number, text: string) => Array.from({ length: count }, () => text);
const words = (text: string) => text.trim().split(/\s+/u);

const notTaken = words(`
  2026-01-31T10:00:00 2026-01-31 2026-02-30T10:00:00Z 2026-02-29T10:00:00Z 1900-02-29T10:00:00Z
  2026-00-10T10:00:00Z 2026-13-10T10:00:00Z 2026-01-00T10:00:00Z 2026-01-32T10:00:00Z 2026-01-31T24:00:00Z
  2026-01-31T10:60:00Z 2026-01-31T10:00:61Z 2026-01-31T10:00:00.Z 2026-01-31T10:00:00,Z
  2026-01-31T10:00:00.1,2Z 2026-01-31T10:00 2026-01-31T10:00.5Z 2026-01-31T10:00,5Z 2026-01-31T10:0Z
  2026-01-31T10Z 20260131T100000Z 2026-01-31T10:00:00+24:00 2026-01-31T10:00:00+2400 2026-01-31T10:00:00+24
  2026-01-31T10:00:00+0160 2026-01-31T10:00:00+1 2026-01-31T10:00:00+100 2026-01-31T10:00:00+01:
  2026-01-31T10:00:00+01:0 2026-01-31T10:00:00+01:0000 2026-01-31T10:00:00.1234567890Z +002026-01-31T10:00:00Z
  yesterday
`);

const coordinatesOf = (x: ReadonlyArray<number>, y: ReadonlyArray<number>) =>
  x.map((place, index) => ({ x: place, y: y[index] }));

describe('lines are packed', () => {
  test.each<[name: string, x: ReadonlyArray<number>, y: ReadonlyArray<number>, then: unknown]>([
    ['none', [], [], evenLines(0, 0, [])],
    ['one', [5], [2], evenLines(5, 0, [2])],
    ['evenly spaced', [1, 1.5, 2], [2, 3, 4], evenLines(1, 0.5, [2, 3, 4])],
    ['evenly but for rounding', [0.1, 0.2, 0.1 + 0.2], [1, 1, 1], evenLines(0.1, 0.10000000000000002, [1, 1, 1])],
    ['unevenly spaced', [0, 1, 3], [1, 2, 3], unevenLines([0, 1, 3], [1, 2, 3])],
    ['one line a little off', [0, 1.000001, 2], [1, 2, 3], unevenLines([0, 1.000001, 2], [1, 2, 3])],
    ['amplitudes of six digits', [0, 1], [0.123456789, 123456789], evenLines(0, 1, [0.123457, 123457000])],
  ])('%s', (_name, x, y, packed) => {
    const given = spectrum(coordinatesOf(x, y));
    expect(decoded(codec, given)).toStrictEqual(spectrum([], { spectrum: { ...about, lines: packed } }));
    expect(decoded(storedMeasurement, decoded(codec, given))).toStrictEqual(decoded(codec, given));
    expect(decoded(storedMeasurement, given)).toStrictEqual(decoded(codec, given));
  });

  test('12,800 of them are taken, and stay below 70 KB', () => {
    const coordinates = Array.from({ length: 12_800 }, (_, index) => ({
      x: index * 0.3125,
      y: Math.abs(Math.sin(index)) / 7,
    }));
    expect(JSON.stringify(decoded(codec, spectrum(coordinates))).length).toBeLessThan(70_000);
  });
});

/** A measurement that is refused, and every reason for it. */
const refused: ReadonlyArray<readonly [given: unknown, ...then: ReadonlyArray<string>]> = [
  ['measurement', ': must be an object'],
  [{}, 'measurementId: is required', 'createdAt: is required', 'contentType: is required'],
  [dataPoint(1, { measurementId: 1 }), 'measurementId: must be a UUID'],
  ...['IMAGE', 'constructor'].map(
    (contentType) =>
      [dataPoint(1, { contentType }), 'contentType: must be one of DATA_POINT, SPECTRUM, QUESTION_ANSWERS'] as const,
  ),
  [dataPoint(1, { value: 1 }), 'value: is not a known property'],
  [dataPoint(1, { dataPoint: undefined }), 'dataPoint: is required by DATA_POINT'],
  [dataPoint(1, { dataPoint: null }), 'dataPoint: is required by DATA_POINT'],
  [spectrum([], { spectrum: null }), 'spectrum: is required by SPECTRUM'],
  [answers([], { questionAnswers: null }), 'questionAnswers: is required by QUESTION_ANSWERS'],
  [
    answers([], { questionAnswers: null, spectrum: about }),
    'spectrum: does not belong to QUESTION_ANSWERS',
    'questionAnswers: is required by QUESTION_ANSWERS',
  ],
  [
    dataPoint(1, { questionAnswers: [], spectrum: about }),
    'spectrum: does not belong to DATA_POINT',
    'questionAnswers: does not belong to DATA_POINT',
  ],
  [
    dataPoint(1, { dataPoint: { coordinate: { x: null } } }),
    'dataPoint.coordinate.x: must be a finite number',
    'dataPoint.coordinate.y: is required',
    'dataPoint.xUnit: is required',
    'dataPoint.yUnit: is required',
  ],
  [dataPoint(Infinity), 'dataPoint.coordinate.y: must be a finite number'],
  [dataPoint(1, { rateOfChange: -Infinity }), 'rateOfChange: must be a finite number'],
  [withSpectrum({ speed: -1 }), 'spectrum.speed: must be a finite number, 0 or greater'],
  [withSpectrum({ windowFunction: 'kaiser' }), `spectrum.windowFunction: must be one of ${windowFunctions.join(', ')}`],
  [withSpectrum({ lines: { start: 0, step: 1, y: [] } }), 'spectrum.lines: is not a known property'],
  [linesAt(0, 1, 1.000_000_000_000_1), 'spectrum.coordinates.2.x: must be greater than the one before (1)'],
  [linesAt(2, 1), 'spectrum.coordinates.1.x: must be greater than the one before (2)'],
  [linesAt(2, 2), 'spectrum.coordinates.1.x: must be greater than the one before (2)'],
  [linesAt(-1), 'spectrum.coordinates.0.x: must be a finite number, 0 or greater'],
  [lines({ x: 1, y: -1 }), 'spectrum.coordinates.0.y: must be a finite number, 0 or greater'],
  ...[Infinity, 'NaN'].map(
    (y) => [lines({ x: 1, y }), 'spectrum.coordinates.0.y: must be a finite number, 0 or greater'] as const,
  ),
  [lines({ x: 1, y: 1, z: 1 }), 'spectrum.coordinates.0.z: is not a known property'],
  [spectrum(evenly(25_601)), 'spectrum.coordinates: must have at most 25600 items'],
  [answers([], { questionAnswers: ['fine', 1] }), 'questionAnswers.1: must be text of at most 1024 characters'],
  [answers(['x'.repeat(1_025)]), 'questionAnswers.0: must be text of at most 1024 characters'],
  [answers(many(130, 'x'.repeat(1_024))), `questionAnswers: must be at most ${DOCUMENT_BYTES} bytes as JSON`],
  [answers(many(DOCUMENT_BYTES + 1, '')), `questionAnswers: must have at most ${DOCUMENT_BYTES} items`],
  [dataPoint(1, { tags: ['a'] }), 'tags: must be an object'],
  [dataPoint(1, { tags: { a: 'é'.repeat(TAGS_BYTES / 2) } }), `tags: must be at most ${TAGS_BYTES} bytes as JSON`],
  [dataPoint(1, { tags: { a: JSON.parse('['.repeat(500) + ']'.repeat(500)) } }), 'tags: must nest at most 32 levels'],
];

describe('refused, with every reason', () => {
  test.each(refused.map(([given, ...then]) => ({ given, then })))('$then', ({ given, then }) => {
    expect(reasonsOf(codec, given)).toEqual(then);
  });

  test.each([...notTaken, '', '2026-01-31 10:00:00Z', 1769853600000])('createdAt %s', (createdAt) => {
    expect(reasonsOf(codec, at(createdAt))).toEqual([
      'createdAt: must be an ISO 8601 date-time with a time zone, such as 2026-01-31T10:00:00.000Z',
    ]);
  });

  test('a fault in each of 131,072 answers, of which the first thousand are told', () => {
    const reasons = reasonsOf(codec, answers([], { questionAnswers: Array.from({ length: DOCUMENT_BYTES }, () => 1) }));
    expect(reasons).toHaveLength(1_000);
    expect(reasons[999]).toBe('questionAnswers.999: must be text of at most 1024 characters');
  });

  test('fifteen faults in each of 25,600 lines', () => {
    const line = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`z${index}`, index]));
    const reasons = reasonsOf(codec, lines(...Array.from({ length: hardLimits.spectrumLines }, () => line)));
    expect(reasons).toHaveLength(1_000);
  });

  test('lower limits than the hard ones, where the API is set to them', () => {
    const strict = measurementInput({ ...hardLimits, spectrumLines: 1, textLength: 3 });
    expect(reasonsOf(strict, lines({ x: 0, y: 0 }, { x: 1, y: 0 }))).toEqual([
      'spectrum.coordinates: must have at most 1 items',
    ]);
    expect(reasonsOf(strict, answers(['long']))).toEqual(['questionAnswers.0: must be text of at most 3 characters']);
  });
});

describe('inside a node', () => {
  const stored = (linesOf: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    spectrum([], { spectrum: { ...about, lines: linesOf, ...more } });
  const tooMany = evenly(25_601).map(({ x }) => x);
  const [noAmplitudes, noPlaces] = (['y', 'x'] as const).map(
    (name) => `lines.${name}: must be base64 of at most 25600 finite numbers`,
  ) as [string, string];

  test.each<[name: string, given: unknown]>([
    ['evenly spaced lines', stored(evenLines(0, 1, [1, 2]))],
    ['lines at their own places', stored(unevenLines([0, 1, 3], [1, 2, 3]))],
    ['no lines at all', stored(unevenLines([], []))],
  ])('%s are taken', (_name, given) => expect(decoded(storedMeasurement, given)).toStrictEqual(given));

  const even = (more: object) => stored({ ...evenLines(0, 1, []), ...more });
  test.each<[name: string, given: unknown, then: string]>([
    ['lines of another form', even({ version: 3 }), 'lines.version: is not a known property'],
    ['no base64', even({ y: 'AAA!' }), noAmplitudes],
    ['base64 that is cut off', even({ y: 'AAA' }), noAmplitudes],
    ['base64 with bits left over', even({ y: 'AAAAAB==' }), noAmplitudes],
    ['half an amplitude', even({ y: 'AAA=' }), noAmplitudes],
    ['an amplitude beyond all numbers', even({ y: '////fw==' }), noAmplitudes],
    ['a place beyond all numbers', stored({ ...unevenLines([0], [1]), x: '////////' }), noPlaces],
    ['25,601 amplitudes', stored(evenLines(0, 1, tooMany)), 'lines.y: must be text of at most 136536 characters'],
    ['places that fall', stored(unevenLines([1, 0], [1, 1])), 'lines.x.1: must be greater than the one before (1)'],
    ['more places than amplitudes', stored(unevenLines([1, 2], [1])), 'lines.y: must have as many items as x'],
    ['lines without a step', stored(evenLines(0, 0, [1, 2])), 'lines.step: must be greater than 0'],
    ['lines that are none', stored(7), 'lines: must be an object'],
    [
      'lines beside coordinates',
      stored({ x: [], y: [] }, { coordinates: [] }),
      'lines: must not be given together with coordinates',
    ],
  ])('%s: refused', (_name, given, then) => expect(reasonsOf(storedMeasurement, given)).toEqual([`spectrum.${then}`]));

  test('no spectrum: refused', () => {
    expect(reasonsOf(storedMeasurement, spectrum([], { spectrum: 'none' }))).toEqual(['spectrum: must be an object']);
  });
});

test('packed lines that no codec has seen, and that are none, hold nothing', () => {
  expect(amplitudesOf({ ...evenLines(0, 1, []), y: '!' })).toHaveLength(0);
});
