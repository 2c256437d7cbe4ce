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

/**
 * Rates the bands and the HALs (harmonic alarms) of a threshold with a spectrum. The results have the order of the threshold.
 * Bands or HALs whose earlier results are in `held` are not rated again.
 */
export const rateSpectrum = (
  { threshold, halRules }: RatingRules,
  measurement: SpectrumMeasurement,
  held: SpectrumParts = {},
): SpectrumParts => {
  const bandAlarms = held.bands === undefined ? threshold.bandAlarms : undefined;
  const halAlarms = held.hals === undefined ? threshold.halAlarms : undefined;
  if (bandAlarms === undefined && halAlarms === undefined) return held;
  const lines = linesInHz(measurement.spectrum);
  return {
    ...held,
    ...(bandAlarms !== undefined && { bands: rateBands(bandAlarms, threshold, lines, measurement) }),
    ...(halAlarms !== undefined && { hals: rateHals(halRules, lines, measurement.measurementId) }),
  };
};

/** Text of all that bands' results depend on besides the spectrum: thresholds with the same text give the same results. */
export const bandRules = ({ threshold }: RatingRules): string =>
  JSON.stringify([
    threshold.bandAlarms?.map((band) => {
      const { upperAlert, upperDanger } = ratedLimits(band.overallAlarmThreshold, threshold);
      return [band.minFrequency, band.maxFrequency, upperAlert, upperDanger];
    }),
  ]);

/** Like `bandRules`, for HALs: if two thresholds have the same text, their HALs get the same results from a spectrum. */
export const halRules = ({ threshold, bearings }: RatingRules): string =>
  JSON.stringify([threshold.halAlarms, bearings]);

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

/** The details behind the rating of a spectrum, for people who look at it, or why the spectrum cannot be read. */
export const examineSpectrum = (
  rules: RatingRules,
  { spectrum }: SpectrumMeasurement,
): E.Either<string, ExaminedSpectrum> => E.map((lines: Lines) => examineLines(rules, lines))(linesInHz(spectrum));

const examineLines = ({ threshold, halRules }: RatingRules, lines: Lines) => {
  const { bandAlarms = [] } = threshold;
  return {
    lines,
    /** The noise floor around each line; 0 where there is none. */
    noiseFloor: noiseFloorOf(lines),
    /** For each band: its edges in Hz, why it has no value if it has none, and the limits with which it was compared. */
    bands: bandAlarms.map((band) => ({
      edges: bandEdges(band, lines.shaftHz),
      whyNoValue: whyNoValue(band, lines.shaftHz),
      ...ratedLimits(band.overallAlarmThreshold, threshold),
    })),
    /** For each HAL: what it found, or why it found nothing. */
    hals: findHals(halRules, E.right(lines)).map(({ found }) => E.map(examineHal)(found)),
  };
};
export type ExaminedSpectrum = Readonly<ReturnType<typeof examineLines>>;
