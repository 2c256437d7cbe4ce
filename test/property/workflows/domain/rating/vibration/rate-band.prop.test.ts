import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { amplitudesOf, weight, windowTerms } from '../../../../../support/synthesis/fourier';
import { between, normal, randomOf } from '../../../../../support/synthesis/random';
import { windowFunctions, type WindowFunction } from '../../../../../../workflows/domain/measurement/spectrum';
import { rateSpectrum } from '../../../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import { windowOf } from '../../../../../../workflows/domain/rating/vibration/spectral-lines';
import { evenLines, measuredSpectrum } from '../../../../../support/packed-lines';

const SAMPLES = 2_048;
/** One Hz a line. */
const STEP = 1;

/** Half the main lobe of each window in lines, as its terms make it. */
const mainLobe = (name: WindowFunction): number => windowTerms[name].length;

const overall = (y: ReadonlyArray<number>, name: WindowFunction, min: number, max: number): number => {
  const spectrum = { speed: 0, xUnit: 'Hz', yUnit: 'g', windowFunction: name, lines: evenLines(0, STEP, y) };
  const edge = (value: number) => ({ value, valueType: 1 as const });
  const [band] =
    rateSpectrum(
      ratingRules({ bandAlarms: [{ minFrequency: edge(min), maxFrequency: edge(max) }] }),
      measuredSpectrum(spectrum),
    ).bands ?? [];
  return band?.calculatedOverall?.value ?? NaN;
};

const tone = (line: number, rms: number, phase: number): Float64Array =>
  Float64Array.from(
    { length: SAMPLES },
    (_, n) => rms * Math.SQRT2 * Math.sin((2 * Math.PI * line * n) / SAMPLES + phase),
  );

const share = (actual: number, expected: number): number => Math.abs(actual / expected - 1);

describe.each(windowFunctions)('through a %s window', (name) => {
  test('the noise bandwidth is that of its terms', () => {
    const weights = Array.from({ length: SAMPLES }, (_, n) => weight(name, n, SAMPLES));
    const sum = weights.reduce((one, other) => one + other, 0);
    const squares = weights.reduce((one, other) => one + other ** 2, 0);
    expect(share(windowOf(name).noiseBandwidth, (SAMPLES * squares) / sum ** 2)).toBeLessThan(1e-4);
  });

  test('the lobe holds the lines of a tone that stand out', () => {
    expect(windowOf(name).lobe).toBeGreaterThanOrEqual(Math.min(mainLobe(name), 5));
  });

  test.prop(
    [
      fc.integer({ min: 100, max: 900 }),
      fc.double({ min: 0.01, max: 1_000, noNaN: true }),
      fc.double({ min: 0, max: 6, noNaN: true }),
    ],
    { numRuns: 20 },
  )('a tone on a line gives its effective value within 1 %, from the main lobe alone', (line, rms, phase) => {
    const y = amplitudesOf(tone(line, rms, phase), name);
    const lobe = mainLobe(name);
    expect(share(overall(y, name, line - lobe, line + lobe), rms)).toBeLessThan(0.01);
  });

  // Between lines a rectangular window spreads a tone over the whole spectrum: its main lobe holds 90 % of the energy.
  const inLobe = name === 'rectangular' ? 200 : mainLobe(name) + 1;
  test.prop(
    [
      fc.integer({ min: 300, max: 700 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 6, noNaN: true }),
    ],
    { numRuns: 20 },
  )('a tone between lines gives its effective value within 1 %', (line, part, phase) => {
    const y = amplitudesOf(tone(line + part, 1, phase), name);
    expect(share(overall(y, name, line - inLobe, line + 1 + inLobe), 1)).toBeLessThan(0.01);
  });

  test('white noise gives its share within 1 %, over sixteen records', () => {
    const random = randomOf(11);
    const energies = Array.from({ length: 16 }, () => {
      const y = amplitudesOf(
        Float64Array.from({ length: SAMPLES }, () => normal(random)),
        name,
      );
      return overall(y, name, 10, 1_013) ** 2;
    });
    const mean = energies.reduce((sum, energy) => sum + energy, 0) / energies.length;
    expect(share(mean, 1_004 / (SAMPLES / 2))).toBeLessThan(0.02);
  });
});

test.prop([fc.integer({ min: 0, max: 1_000_000 })], { numRuns: 50 })(
  'two bands side by side hold the energy of both',
  (seed) => {
    const random = randomOf(seed);
    const y = Array.from({ length: 200 }, () => between(random, 0, 10));
    const [edge, min, max] = [Math.floor(between(random, 60, 140)), between(random, 1, 50), between(random, 150, 250)];
    const both = overall(y, 'hann', min, edge) ** 2 + overall(y, 'hann', edge + 0.5, max) ** 2;
    expect(share(overall(y, 'hann', min, max) ** 2, both)).toBeLessThan(1e-12);
  },
);
