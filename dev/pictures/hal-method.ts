import * as E from 'fp-ts/Either';
import { examineSpectrum } from '../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../workflows/domain/rating/rating-rules';
import { STEPS } from '../../workflows/domain/rating/vibration/hal/comb';
import { decibelsOf, type ExaminedHal } from '../../workflows/domain/rating/vibration/hal/examine-hal';
import { halConstants } from '../../workflows/domain/rating/vibration/hal/hal-constants';
import { findHals } from '../../workflows/domain/rating/vibration/hal/rate-hals';
import { linesInHz } from '../../workflows/domain/rating/vibration/spectral-lines';
import { halExample, rightOf } from './spectra';
import { pictureColours, linePiece, picture, polyline, rectangle, textPiece, type Piece } from './svg';

const [left, top, width, height] = [60, 70, 960, 220];
const [leastDb, mostDb] = [-5, 25];
const y = (db: number): number =>
  top + (height * (mostDb - Math.min(Math.max(db, leastDb), mostDb))) / (mostDb - leastDb);

/**
 * Draws the worked example of a HAL (harmonic alarm): how far the harmonics of each frequency rise above the noise floor. It
 * marks BPFI, the fault frequency of a bearing's inner ring, and the best rival: the other frequency whose harmonics rise most.
 */
export const halMethodPicture = (): string => {
  const { hal, decibelsAt, spacing } = scored();
  const [from, to] = [halConstants.rivalsFrom * hal.expectedHz, halConstants.rivalsTo * hal.expectedHz];
  const x = (hz: number): number => left + (width * (hz - from)) / (to - from);
  const greatest = new Map<number, number>();
  for (let step = Math.ceil((from / spacing) * STEPS); step <= (to / spacing) * STEPS; step += 1) {
    const column = Math.round(x((step / STEPS) * spacing));
    greatest.set(column, Math.max(greatest.get(column) ?? leastDb, decibelsAt(step)));
  }
  const { expectedHz, foundHz, rivalHz, score, rivalScore } = hal;
  const { slip } = halConstants;
  return picture(left + width + 40, top + height + 60, 'The score of every fundamental, with BPFI and its best rival', [
    textPiece(20, 30, 'Mean height of ten harmonics of a frequency over the noise floor, at 1,482 rpm', {
      'font-size': 17,
      'font-weight': 600,
    }),
    rectangle(x(expectedHz * (1 - slip)), top, x(expectedHz * (1 + slip)) - x(expectedHz * (1 - slip)), height, {
      fill: pictureColours.good,
    }),
    textPiece(x(expectedHz), top - 8, 'BPFI expected, ±3 %', {
      'text-anchor': 'middle',
      fill: pictureColours.goodLine,
    }),
    ...[0, 10, 20].flatMap((db) => [
      linePiece(left, y(db), left + width, y(db)),
      textPiece(left - 10, y(db) + 5, `${db} dB`, { 'text-anchor': 'end', fill: pictureColours.pale }),
    ]),
    ...Array.from({ length: Math.floor(to / 50) }, (_, at) => 50 * (at + 1))
      .filter((hz) => hz >= from)
      .map((hz) =>
        textPiece(x(hz), top + height + 22, `${hz} Hz`, { 'text-anchor': 'middle', fill: pictureColours.pale }),
      ),
    polyline(
      [...greatest].map(([column, db]) => [column, y(db)]),
      { stroke: pictureColours.service, 'stroke-width': 1.2 },
    ),
    ...named(x(foundHz), decibelsOf(score), 'found'),
    ...named(x(rivalHz), decibelsOf(rivalScore), 'best rival'),
    ...named(x(2 * foundHz), decibelsAt(Math.round(((2 * foundHz) / spacing) * STEPS)), 'its double, no rival'),
  ]);
};

const named = (x: number, db: number, name: string): ReadonlyArray<Piece> => [
  linePiece(x - 4, y(db), x + 4, y(db), { stroke: pictureColours.dangerLine, 'stroke-width': 3 }),
  textPiece(x + (x > left + 0.9 * width ? -10 : 10), y(db) + 5, `${name}, ${db.toFixed(1)} dB`, {
    'text-anchor': x > left + 0.9 * width ? 'end' : 'start',
    'font-weight': 600,
    fill: pictureColours.dangerLine,
  }),
];

/**
 * BPFI of the worked example, and the mean height (dB) of the harmonics of each fundamental frequency. Fundamentals are counted
 * in steps; a step is a fraction of `spacing`, the distance (Hz) between two spectral lines.
 */
const scored = (): {
  readonly hal: ExaminedHal;
  readonly decibelsAt: (step: number) => number;
  readonly spacing: number;
} => {
  const { threshold, measurement } = halExample();
  const rules = ratingRules(threshold);
  const [, hal] = rightOf(examineSpectrum(rules, measurement)).hals;
  const lines = rightOf(linesInHz(measurement.spectrum));
  const [, bpfi] = findHals(rules.halRules, E.right(lines));
  if (hal === undefined || bpfi === undefined) throw new Error('the example has no BPFI');
  const { scores } = rightOf(bpfi.found).alone.combs;
  return { hal: rightOf(hal), decibelsAt: (step) => decibelsOf(scores.values[step] ?? NaN), spacing: lines.spacing };
};
