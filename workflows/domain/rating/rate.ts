import type { Latest, RateOfChange, Measurement, MeasurementOf } from '../measurement/measurement';
import { unrated, type Part, type RatedParts, notRatable } from '../alarm/parts';
import { OVERALL_IN_WINDOW, type Threshold, type Inspection } from '../threshold/threshold';
import type { AlarmLimits } from '../threshold/alarm-limits';
import type { ResolvedBearing } from './vibration/bearings/resolved-bearing';
import { type OverallReading, rateLimits } from './overall-regions';
import { rateSpectrum, type SpectrumParts } from './rate-spectrum';
import { worst } from '../alarm/status';

/** A threshold with what was in force when it was set: the reading of its regions, the orders of its bearings. */
export interface Rated {
  readonly threshold: Threshold;
  readonly reading: OverallReading;
  readonly bearings: ReadonlyArray<ResolvedBearing>;
}

/**
 * Every part of the threshold, rated by the latest measurements; NO_DATA where there is none. `bySpectrum` are the parts that
 * the latest spectrum gives, where they are known.
 */
export const rate = (rated: Rated, latest: Latest, bySpectrum?: SpectrumParts): RatedParts => ({
  ...unratedParts(rated.threshold),
  ...(latest.DATA_POINT !== undefined && rateContent(rated, latest.DATA_POINT)),
  ...(latest.SPECTRUM !== undefined && (bySpectrum ?? rateContent(rated, latest.SPECTRUM))),
  ...(latest.QUESTION_ANSWERS !== undefined && rateContent(rated, latest.QUESTION_ANSWERS)),
  ...(latest.rateOfChange !== undefined && rateChange(rated, latest.rateOfChange)),
});

/** The parts that `measurement` rates: those of its content type, and rate of change when it carries one. */
export const rateMeasurement = (rated: Rated, measurement: Measurement): RatedParts => ({
  ...rateContent(rated, measurement),
  ...(measurement.rateOfChange !== undefined &&
    rateChange(rated, {
      measurementId: measurement.measurementId,
      createdAt: measurement.createdAt,
      value: measurement.rateOfChange,
    })),
});

const rateContent = ({ threshold, reading, bearings }: Rated, measurement: Measurement): RatedParts => {
  switch (measurement.contentType) {
    case 'DATA_POINT': {
      const { overall, thresholdType } = threshold;
      if (overall === undefined) return {};
      const type = thresholdType === OVERALL_IN_WINDOW ? 1 : 2;
      const value = measurement.dataPoint.coordinate.y;
      return { overall: ratedBy(measurement.measurementId, overall, type, reading, value) };
    }
    case 'SPECTRUM':
      return rateSpectrum(threshold, bearings, measurement);
    case 'QUESTION_ANSWERS':
      return threshold.inspection === undefined
        ? {}
        : { inspection: rateInspection(threshold.inspection, measurement) };
  }
};

/** Rate of change always reads type 2's row of the table (docs/decisions.md, "rate of change"). */
const rateChange = ({ threshold, reading }: Rated, { measurementId, value }: RateOfChange): RatedParts =>
  threshold.rateOfChange === undefined
    ? {}
    : { rateOfChange: ratedBy(measurementId, threshold.rateOfChange, 2, reading, value) };

const ratedBy = (
  triggeringMeasurement: string,
  limits: AlarmLimits,
  type: 1 | 2,
  reading: OverallReading,
  value: number,
): Part => ({ status: rateLimits(limits, type, reading, value), triggeringMeasurement });

const unratedParts = ({ overall, rateOfChange, inspection, bandAlarms, halAlarms }: Threshold): RatedParts => ({
  ...(overall !== undefined && { overall: unrated }),
  ...(rateOfChange !== undefined && { rateOfChange: unrated }),
  ...(inspection !== undefined && { inspection: unrated }),
  ...(bandAlarms !== undefined && { bands: bandAlarms.map(() => unrated) }),
  ...(halAlarms !== undefined && { hals: halAlarms.map(() => unrated) }),
});

/** The worst status among the choices answered; answers that are no choice are passed over, none left is NO_DATA. */
const rateInspection = (
  { choices }: Inspection,
  { measurementId, questionAnswers }: MeasurementOf<'QUESTION_ANSWERS'>,
): Part => {
  const answered = choices.filter(({ answer }) => questionAnswers.includes(answer));
  return answered.length === 0
    ? notRatable(measurementId)
    : { status: worst(answered.map(({ status }) => status)), triggeringMeasurement: measurementId };
};

/** A unit that differs from the threshold's. Nothing is converted: the measurement is rated all the same. */
interface UnitMismatch {
  readonly part: string;
  readonly expected: string;
  readonly actual: string;
}

/** Where the unit of `measurement` differs from the one that the part of `threshold` names. */
export const unitMismatches = (threshold: Threshold, measurement: Measurement): ReadonlyArray<UnitMismatch> => {
  switch (measurement.contentType) {
    case 'DATA_POINT':
      return mismatch('overall', threshold.overall?.unit, measurement.dataPoint.yUnit);
    case 'SPECTRUM':
      return (threshold.bandAlarms ?? []).flatMap(({ overallAlarmThreshold: limits }, index) =>
        mismatch(`bandAlarms.${index}`, limits?.unit, measurement.spectrum.yUnit),
      );
    case 'QUESTION_ANSWERS':
      return [];
  }
};

const mismatch = (part: string, expected: string | undefined, actual: string): ReadonlyArray<UnitMismatch> =>
  expected === undefined || expected === actual ? [] : [{ part, expected, actual }];
