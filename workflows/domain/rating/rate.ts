import type { Latest, RateOfChange, Measurement, MeasurementOf } from '../measurement/measurement';
import { unrated, type Part, type RatedParts, notRatable } from '../alarm/parts';
import { OVERALL_IN_WINDOW, type Threshold } from '../threshold/threshold';
import { rateLimits } from './overall-regions';
import { rateSpectrum, type SpectrumParts } from './rate-spectrum';
import type { RatingRules } from './rating-rules';
import { worst } from '../alarm/status';

/** Rates every part with the latest measurements; a part without a measurement is NO_DATA. Results in `held` are kept. */
export const rate = (rules: RatingRules, latest: Latest, held?: SpectrumParts): RatedParts => ({
  ...unratedParts(rules.threshold),
  ...(latest.DATA_POINT !== undefined && rateContent(rules, latest.DATA_POINT)),
  ...(latest.SPECTRUM !== undefined && rateSpectrum(rules, latest.SPECTRUM, held)),
  ...(latest.QUESTION_ANSWERS !== undefined && rateContent(rules, latest.QUESTION_ANSWERS)),
  ...(latest.rateOfChange !== undefined && rateChange(rules, latest.rateOfChange)),
});

/** Rates the parts that `measurement` concerns: those of its content type, and rate of change if it carries one. */
export const rateMeasurement = (rules: RatingRules, measurement: Measurement): RatedParts => {
  const { measurementId, createdAt, rateOfChange: value } = measurement;
  return {
    ...rateContent(rules, measurement),
    ...(value !== undefined && rateChange(rules, { measurementId, createdAt, value })),
  };
};

const rateContent = (rules: RatingRules, measurement: Measurement): RatedParts => {
  const { threshold, reading } = rules;
  switch (measurement.contentType) {
    case 'DATA_POINT': {
      const { overall, thresholdType } = threshold;
      if (overall === undefined) return {};
      const type = thresholdType === OVERALL_IN_WINDOW ? 1 : 2;
      const status = rateLimits(overall, type, reading, measurement.dataPoint.coordinate.y);
      return { overall: { status, triggeringMeasurement: measurement.measurementId } };
    }
    case 'SPECTRUM':
      return rateSpectrum(rules, measurement);
    case 'QUESTION_ANSWERS':
      return threshold.inspection === undefined ? {} : { inspection: rateInspection(rules, measurement) };
  }
};

/** A rate of change is rated like an overall alarm of type 2 (docs/contributing/decisions.md, "rate of change"). */
const rateChange = ({ threshold, reading }: RatingRules, { measurementId, value }: RateOfChange): RatedParts => {
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

/** The worst status among the answered choices. Other answers are ignored. If no choice was answered, the status is NO_DATA. */
const rateInspection = (
  { statusOfAnswer }: RatingRules,
  { measurementId, questionAnswers }: MeasurementOf<'QUESTION_ANSWERS'>,
): Part => {
  const statuses = new Set(questionAnswers.map((answer) => statusOfAnswer.get(answer)));
  const answered = [...statuses].filter((status) => status !== undefined);
  return answered.length === 0
    ? notRatable(measurementId)
    : { status: worst(answered), triggeringMeasurement: measurementId };
};

/** The parts whose unit in `threshold` differs from the unit of `measurement`. No unit is converted. */
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
