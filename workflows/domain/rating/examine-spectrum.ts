import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { MeasurementOf } from '../measurement/measurement';
import type { Threshold } from '../threshold/threshold';
import { bandLimits, type UpperLimits } from '../threshold/upper-limits';
import type { ResolvedBearing } from './vibration/bearings/resolved-bearing';
import { ordersAmong } from './rate-spectrum';
import { examineHal, noiseFloorOf, type ExaminedHal } from './vibration/hal/examine-hal';
import { findHals } from './vibration/hal/find-hals';
import { linesInHz, type Lines } from './vibration/lines';
import { bandEdges } from './vibration/rate-band';

/** What a rating saw in a spectrum, for people who look at it. */
export interface ExaminedSpectrum {
  readonly lines: Lines;
  /** The noise floor around each line; 0 where there is none. */
  readonly noiseFloor: ReadonlyArray<number>;
  /** By band: its edges in Hz, and its limits as they were compared. */
  readonly bands: ReadonlyArray<UpperLimits & { readonly edges: readonly [min: number, max: number] }>;
  /** By HAL: the harmonics that it looked for, or why there are none. */
  readonly hals: ReadonlyArray<E.Either<string, ExaminedHal>>;
}

/** What the rating of `measurement` by `threshold` is made of, or why the spectrum cannot be read. */
export const examineSpectrum = (
  threshold: Threshold,
  bearings: ReadonlyArray<ResolvedBearing>,
  { spectrum }: MeasurementOf<'SPECTRUM'>,
): E.Either<string, ExaminedSpectrum> =>
  pipe(
    linesInHz(spectrum),
    E.map((lines) => {
      const { bandAlarms = [], halAlarms = [] } = threshold;
      return {
        lines,
        noiseFloor: noiseFloorOf(lines),
        bands: bandAlarms.map((band) => ({
          edges: bandEdges(band, lines.shaftHz),
          ...bandLimits(band.overallThreshold, threshold),
        })),
        hals: findHals(halAlarms, ordersAmong(bearings), E.right(lines)).map(({ found }) => E.map(examineHal)(found)),
      };
    }),
  );
