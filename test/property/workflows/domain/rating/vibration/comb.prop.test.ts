import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { combScores, harmonicNumbers, STEPS } from '../../../../../../workflows/domain/rating/vibration/hal/comb';
import { excessOf } from '../../../../../../workflows/domain/rating/vibration/hal/excess';
import { multipleFamily } from '../../../../../../workflows/domain/rating/vibration/hal/family';
import { linesInHz } from '../../../../../../workflows/domain/rating/vibration/spectral-lines';
import { rightOf } from '../../../../../support/either';
import { evenLines, measuredSpectrum } from '../../../../../support/packed-lines';
import { randomOf } from '../../../../../support/synthesis/random';
import { recorded } from '../../../../../support/synthesis/tones';

/** Starts and spacings as instruments write them: their quotient is often a tie, midway between two lines. */
const spectrum = fc.record({
  seed: fc.nat(),
  count: fc.integer({ min: 80, max: 400 }),
  start: fc.integer({ min: -20, max: 600 }).map((tenths) => tenths / 10),
  spacing: fc.constantFrom(0.1, 0.2, 0.25, 0.3125, 0.5, 1, 1.25),
  factor: fc.double({ min: 1, max: 12, noNaN: true }),
  isGap: fc.func(fc.boolean()),
});

test.prop([spectrum], { numRuns: 1_000 })(
  'each score of a comb is the weighted mean of its lines that have a floor, wherever the first line lies',
  ({ seed, count, start, spacing, factor, isGap }) => {
    const y = recorded(randomOf(seed), { count, averages: 4 });
    for (let from = 0; from < count; from += 100) if (isGap(from)) y.fill(0, from, from + 90);
    const measured = measuredSpectrum({
      ...{ speed: 1_200 * spacing, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann' },
      lines: evenLines(start, spacing, [...y]),
    });
    const seen = excessOf(rightOf(linesInHz(measured.spectrum)));
    const { scores } = combScores(seen, seen.excess, [multipleFamily(factor)]);
    const wrong = [...scores.values].flatMap((score, step) => {
      const places = harmonicNumbers.map((number) => (number * step) / STEPS + seen.origin);
      if (places.some((place) => Math.abs(place - Math.floor(place) - 0.5) < 1e-6))
        return Number.isFinite(score) ? [] : [[step, score]]; // at a tie either line may count
      let [sum, weights] = [0, 0];
      places.forEach((place, index) => {
        const line = Math.round(place);
        if ((seen.floors[line] ?? 0) === 0) return;
        sum += (seen.excess[line] ?? 0) / Math.sqrt(index + 1);
        weights += 1 / Math.sqrt(index + 1);
      });
      const mean = weights > 0 ? sum / weights : 0;
      return Math.abs(score - mean) < 1e-9 ? [] : [[step, score, mean]];
    });
    expect(wrong).toEqual([]);
  },
);
