import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { examineSpectrum } from '../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../workflows/domain/rating/rating-rules';
import { rightOf } from '../../../../support/either';
import { spectrumOf } from '../../../../support/packed-lines';

const lines = Array.from({ length: 500 }, (_, x) => ({ x, y: x % 25 === 0 ? 2 : 0.5 }));

test('bands have their edges in Hz and their limits as they are compared, HALs their harmonics, lines their noise floor', () => {
  const threshold = {
    fullScale: 10,
    bandAlarms: [
      {
        minFrequency: { value: 2, valueType: 2 as const },
        maxFrequency: { value: 300, valueType: 1 as const },
        overallAlarmThreshold: {
          upperAlert: { value: 0.5, valueType: 2 as const },
          upperDanger: { value: 7, valueType: 1 as const },
        },
      },
      {},
    ],
    halAlarms: [{ label: '1x' }, { label: 'BPFO' }],
  };
  const { bands, hals, noiseFloor } = rightOf(examineSpectrum(ratingRules(threshold), spectrumOf(lines)));
  const whyNoValue = 'no line lies in the band';
  expect(bands).toEqual([
    { edges: [50, 300], whyNoValue, upperAlert: 5, upperDanger: 7 },
    { edges: [0, Infinity], whyNoValue },
  ]);
  expect(noiseFloor).toHaveLength(500);
  expect(noiseFloor[100]).toBeCloseTo(0.5, 9);
  const [shaft, bearing] = hals;
  const { harmonics, ...found } = rightOf(shaft!);
  expect(found).toMatchObject({ name: '1x', factor: 1, shaftHz: 25, expectedHz: 25, foundHz: 25, deviation: 0 });
  expect(harmonics).toHaveLength(10);
  expect(harmonics[1]).toEqual({
    ...{ number: 2, hz: 50, line: 50, amplitude: 2 },
    noiseFloor: expect.closeTo(0.5, 9) as number,
    decibels: expect.closeTo(12.04, 2) as number,
  });
  expect(bearing).toEqual(E.left('the label names BPFO, but no bearing is given'));
});

test('a threshold without bands and HALs has none, and a spectrum without lines says so', () => {
  expect(examineSpectrum(ratingRules({}), spectrumOf(lines))).toMatchObject(E.right({ bands: [], hals: [] }));
  expect(examineSpectrum(ratingRules({}), spectrumOf([]))).toEqual(E.left('the spectrum has no lines'));
});

test.each([
  ['no noise floor', () => 0],
  ['does not stand out', () => 1],
])('a harmonic that does not count says why: %s', (why, amplitudeOf) => {
  const silent = Array.from({ length: 500 }, (_, x) => ({
    x,
    y: x > 200 && x < 400 ? amplitudeOf() : 1 + (x % 3) / 10,
  }));
  const [hal] = rightOf(examineSpectrum(ratingRules({ halAlarms: [{ label: '2x' }] }), spectrumOf(silent))).hals;
  expect(rightOf(hal!).harmonics.find(({ number }) => number === 6)).toMatchObject({
    ...{ why, amplitude: amplitudeOf() },
    ...(amplitudeOf() === 0 && { noiseFloor: 0, decibels: 0 }),
  });
});

test('lines that no fault explains, far weaker than those of a strong one, stand in its shadow', () => {
  const bearing = { manufacturer: 'SKF', modelNumber: '6205' };
  const at = (order: number) => new Set(Array.from({ length: 10 }, (_, k) => Math.round((k + 1) * order * 25 * 4)));
  const [strong, weak] = [at(3.5848), at(5.4152)];
  const heightOf = (line: number): number => (strong.has(line) ? 100 : weak.has(line) ? 5 : 1);
  const shaded = Array.from({ length: 6_000 }, (_, line) => ({
    x: line / 4,
    y: heightOf(line) * (0.9 + (line % 7) / 35),
  }));
  const halAlarms = ['BPFO', 'BPFI'].map((label) => ({ label, bearing }));
  const [, hal] = rightOf(examineSpectrum(ratingRules({ halAlarms }), spectrumOf(shaded))).hals;
  expect(rightOf(hal!).harmonics.map(({ why }) => why)).toContain('in the shadow of stronger lines');
});
