import { hardLimits } from '../../../workflows/domain/limits';
import type { JsonObject } from '../history';
import type { Random } from './random';

const about = (random: Random): JsonObject => ({
  measurementId: random.uuid(),
  createdAt: new Date().toISOString(),
  tags: { note: 'x'.repeat(4_000) },
  rateOfChange: random.draw(),
});

/** A spectrum of as many lines as one may have, unevenly spaced, so that each takes the most room. */
export const largestSpectrum = (random: Random): JsonObject => ({
  ...about(random),
  contentType: 'SPECTRUM',
  spectrum: {
    speed: 1_500,
    xUnit: 'Hz',
    yUnit: 'mm/s',
    coordinates: Array.from({ length: hardLimits.spectrumLines }, (_, line) => ({
      x: line + random.below(1_000) / 2_000,
      y: random.below(999_999) / 1_000,
    })),
  },
});

/** Answers of nearly 128 KiB. */
export const largestAnswers = (random: Random): JsonObject => ({
  ...about(random),
  contentType: 'QUESTION_ANSWERS',
  questionAnswers: Array.from({ length: 100 }, () => random.uuid().repeat(36).slice(0, 1_000)),
});

export const largestDataPoint = (random: Random): JsonObject => ({
  ...about(random),
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y: 30 }, xUnit: 's', yUnit: 'C' },
});

/** A threshold of every kind, nearly 128 KiB. */
export const largestThreshold = (random: Random): JsonObject => ({
  thresholdType: 3,
  inspection: { choices: [{ answer: 'yes', status: 2 }] },
  rateOfChange: { outerHigh: 9, innerHigh: 5, innerLow: -5, outerLow: -9 },
  bandAlarms: Array.from({ length: 100 }, (_, band) => ({
    label: random.uuid().repeat(30).slice(0, 1_000),
    minFrequency: { value: band, valueType: 1 },
    maxFrequency: { value: band + 1, valueType: 1 },
    overallThreshold: { upperAlert: { value: 5, valueType: 1 }, upperDanger: { value: 9, valueType: 1 } },
  })),
});
