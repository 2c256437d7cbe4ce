import type { Latest, RateOfChange, Measurement, MeasurementOf } from '../measurement/measurement';
import { unrated, type Part, type RatedParts, notRatable } from '../alarm/parts';
import { OVERALL_IN_WINDOW, type Threshold, type Inspection } from '../threshold/threshold';
import { rateLimits } from './overall-regions';
import { rateSpectrum, type Rated, type SpectrumParts } from './rate-spectrum';
import { worst } from '../alarm/status';

/** Every part of the threshold, rated by the latest measurements, or NO_DATA; by `bySpectrum` what a spectrum rates, where given. */
export const rate = (rated: Rated, latest: Latest, bySpectrum?: SpectrumParts): RatedParts => ({
  ...unratedParts(rated.threshold),
  ...(latest.DATA_POINT !== undefined && rateContent(rated, latest.DATA_POINT)),
  ...(latest.SPECTRUM !== undefined && (bySpectrum ?? rateContent(rated, latest.SPECTRUM))),
  ...(latest.QUESTION_ANSWERS !== undefined && rateContent(rated, latest.QUESTION_ANSWERS)),
  ...(latest.rateOfChange !== undefined && rateChange(rated, latest.rateOfChange)),
});

/** The parts that `measurement` rates: those of its content type, and rate of change when it carries one. */
export const rateMeasurement = (rated: Rated, measurement: Measurement): RatedParts => {
  const { measurementId, createdAt, rateOfChange: value } = measurement;
  return {
    ...rateContent(rated, measurement),
    ...(value !== undefined && rateChange(rated, { measurementId, createdAt, value })),
  };
};

const rateContent = ({ threshold, reading, bearings }: Rated, measurement: Measurement): RatedParts => {
  switch (measurement.contentType) {
    case 'DATA_POINT': {
      const { overall, thresholdType } = threshold;
      if (overall === undefined) return {};
      const type = thresholdType === OVERALL_IN_WINDOW ? 1 : 2;
      const status = rateLimits(overall, type, reading, measurement.dataPoint.coordinate.y);
      return { overall: { status, triggeringMeasurement: measurement.measurementId } };
    }
    case 'SPECTRUM':
      return rateSpectrum(threshold, bearings, measurement);
    case 'QUESTION_ANSWERS':
      return threshold.inspection === undefined
        ? {}
        : { inspection: rateInspection(threshold.inspection, measurement) };
  }
};

/** Rate of change always reads type 2's row of the table (docs/contributing/decisions.md, "rate of change"). */
const rateChange = ({ threshold, reading }: Rated, { measurementId, value }: RateOfChange): RatedParts => {
  if (threshold.rateOfChange === undefined) return {};
  const status = rateLimits(threshold.rateOfChange, 2, reading, value);
  return { rateOfChange: { status, triggeringMeasurement: measurementId } };
};

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

/** Where the unit of `measurement` differs from the one that the part of `threshold` names: nothing is converted. */
export const unitMismatches = (threshold: Threshold, measurement: Measurement) => {
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

const mismatch = (part: string, expected: string | undefined, actual: string) =>
  expected === undefined || expected === actual ? [] : [{ part, expected, actual }];
