import { anId, type Members } from './scenario';

/** A measurement of each content type; `about` adds to it or replaces what it holds. */
export const dataPoint = (y: number, about: Members = {}): Members => ({
  measurementId: anId(1),
  createdAt: '2026-01-31T09:00:00.000Z',
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y }, xUnit: 's', yUnit: 'mm/s' },
  ...about,
});
export const answers = (questionAnswers: ReadonlyArray<string>, about: Members = {}): Members => ({
  measurementId: anId(2),
  createdAt: '2026-01-31T09:00:00.000Z',
  contentType: 'QUESTION_ANSWERS',
  questionAnswers,
  ...about,
});
export const spectrum = (coordinates: ReadonlyArray<Members>, about: Members = {}): Members => ({
  measurementId: anId(3),
  createdAt: '2026-01-31T09:00:00.000Z',
  contentType: 'SPECTRUM',
  spectrum: { speed: 1500, xUnit: 'Hz', yUnit: 'mm/s', coordinates },
  ...about,
});

/** Thresholds that the tables share. */
export const overall = {
  thresholdType: 2,
  overall: { unit: 'mm/s', outerHigh: 20, innerHigh: 10, innerLow: -10, outerLow: -20 },
} as const;
export const inspection = {
  thresholdType: 3,
  inspection: {
    choices: [
      { answer: 'fine', instruction: 'go on', status: 2 },
      { answer: 'worn', instruction: 'watch it', status: 3 },
      { answer: 'broken', instruction: 'stop', status: 4 },
    ],
  },
} as const;

/** A threshold of 100 HALs that is just `bytes` long as JSON, in UTF-8. */
export const thresholdOfBytes = (bytes: number): Members => {
  const empty = { halAlarms: Array.from({ length: 100 }, () => ({ label: '' })) };
  const each = Math.floor((bytes - JSON.stringify(empty).length) / 100);
  const more = bytes - JSON.stringify(empty).length - each * 100;
  return {
    halAlarms: empty.halAlarms.map((_, index) => {
      const length = each + (index < more ? 1 : 0);
      return { label: 'é'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2) };
    }),
  };
};
