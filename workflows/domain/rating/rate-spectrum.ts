import * as E from 'fp-ts/Either';
import type { MeasurementOf } from '../measurement/measurement';
import { notRatable, type RatedParts } from '../alarm/parts';
import { type Band, ratedLimits } from '../threshold/band';
import type { Threshold } from '../threshold/threshold';
import type { RatingRules } from './rating-rules';
import { findHals, rateHals } from './vibration/hal/rate-hals';
import { linesInHz, type Lines } from './vibration/spectral-lines';
import { bandEdges, energyOf, rateBand, whyNoValue } from './vibration/rate-band';
import { examineHal, noiseFloorOf } from './vibration/hal/examine-hal';

type SpectrumMeasurement = MeasurementOf<'SPECTRUM'>;

export type SpectrumParts = Pick<RatedParts, 'bands' | 'hals'>;

/** The bands and HALs of a threshold, by position, rated by a spectrum. */
export const rateSpectrum = ({ threshold, sought }: RatingRules, measurement: SpectrumMeasurement): SpectrumParts => {
  const { bandAlarms, halAlarms } = threshold;
  if (bandAlarms === undefined && halAlarms === undefined) return {};
  const lines = linesInHz(measurement.spectrum);
  return {
    ...(bandAlarms !== undefined && { bands: rateBands(bandAlarms, threshold, lines, measurement) }),
    ...(halAlarms !== undefined && { hals: rateHals(sought, lines, measurement.measurementId) }),
  };
};

/** All that bands and HALs depend on besides the spectrum; where this text is equal, so are they. */
export const spectrumRules = ({ threshold, bearings }: RatingRules): string =>
  JSON.stringify([
    threshold.bandAlarms?.map((band) => {
      const { upperAlert, upperDanger } = ratedLimits(band.overallAlarmThreshold, threshold);
      return [band.minFrequency, band.maxFrequency, upperAlert, upperDanger];
    }),
    threshold.halAlarms,
    bearings,
  ]);

const rateBands = (
  bands: ReadonlyArray<Band>,
  threshold: Threshold,
  lines: E.Either<string, Lines>,
  measurement: SpectrumMeasurement,
): NonNullable<RatedParts['bands']> => {
  if (E.isLeft(lines)) return bands.map(() => notRatable(measurement.measurementId));
  const readable = { shaftHz: lines.right.shaftHz, energy: energyOf(lines.right) };
  return bands.map((band) => rateBand(band, readable, measurement, threshold));
};

/** What the rating of a spectrum is made of, for people who look at it, or why the spectrum cannot be read. */
export const examineSpectrum = (
  rules: RatingRules,
  { spectrum }: SpectrumMeasurement,
): E.Either<string, ExaminedSpectrum> => E.map((lines: Lines) => examineLines(rules, lines))(linesInHz(spectrum));

const examineLines = ({ threshold, sought }: RatingRules, lines: Lines) => {
  const { bandAlarms = [] } = threshold;
  return {
    lines,
    /** The noise floor around each line; 0 where there is none. */
    noiseFloor: noiseFloorOf(lines),
    /** By band: its edges in Hz, why it has no value where it has none, and its limits as they were compared. */
    bands: bandAlarms.map((band) => ({
      edges: bandEdges(band, lines.shaftHz),
      whyNoValue: whyNoValue(band, lines.shaftHz),
      ...ratedLimits(band.overallAlarmThreshold, threshold),
    })),
    /** By HAL: the harmonics that it looked for, or why there are none. */
    hals: findHals(sought, E.right(lines)).map(({ found }) => E.map(examineHal)(found)),
  };
};
export type ExaminedSpectrum = Readonly<ReturnType<typeof examineLines>>;
