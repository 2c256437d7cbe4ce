import * as E from 'fp-ts/Either';
import { alarmParts, type AlarmPart } from '../../consumer';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import type { Measurement } from '../../workflows/domain/measurement/measurement';
import { examineSpectrum } from '../../workflows/domain/rating/examine-spectrum';
import { rateMeasurement, type Rated } from '../../workflows/domain/rating/rate';
import { cellsOf } from '../../workflows/domain/rating/rate-limits';
import type { AlarmLimits } from '../../workflows/domain/threshold/limits';
import { decidingLimit, upperLimit, type Decision } from './deciding-limit';

/** A part with what decided its status. */
export interface ExplainedPart extends AlarmPart, Partial<Decision> {
  /** Why it has no data. */
  readonly why?: string;
}

/** The parts that `measurement` rates: their statuses are those of the rating itself. */
export const explainRating = (rated: Rated, measurement: Measurement): ReadonlyArray<ExplainedPart> => {
  const { threshold } = rated;
  const parts = partsView(threshold, rateMeasurement(rated, measurement));
  const decisions = new Map([...decisionsOf(rated, measurement)]);
  return alarmParts(parts).map((part): ExplainedPart => ({
    ...part,
    ...decisions.get(part.part),
  }));
};

type Explained = readonly [part: string, Partial<ExplainedPart>];

const decisionsOf = (rated: Rated, measurement: Measurement): ReadonlyArray<Explained> => {
  const { threshold } = rated;
  const { rateOfChange } = measurement;
  return [
    ...(rateOfChange === undefined ? [] : byFour('rate of change', threshold.rateOfChange, rateOfChange)),
    ...contentDecisions(rated, measurement),
  ];
};

const contentDecisions = (rated: Rated, measurement: Measurement): ReadonlyArray<Explained> => {
  const { threshold } = rated;
  switch (measurement.contentType) {
    case 'DATA_POINT': {
      const { coordinate, yUnit } = measurement.dataPoint;
      return byFour('overall', threshold.overall, coordinate.y, yUnit);
    }
    case 'QUESTION_ANSWERS': {
      const { choices = [] } = threshold.inspection ?? {};
      const answered = choices.filter(({ answer }) => measurement.questionAnswers.includes(answer));
      const worst = answered.reduce((most, { status }) => Math.max(most, status), 0);
      const deciding = answered.find(({ status }) => status === worst);
      if (deciding === undefined) return [['inspection', { why: 'no answer is one of the choices' }]];
      return [['inspection', { region: `the answer "${deciding.answer}"` }]];
    }
    case 'SPECTRUM': {
      const examined = examineSpectrum(threshold, rated.bearings, measurement);
      if (E.isLeft(examined))
        return [...(threshold.bandAlarms ?? []).keys()].map((at) => [`band ${at}`, { why: examined.left }]);
      const values = new Map(
        alarmParts(partsView(threshold, rateMeasurement(rated, measurement))).map(({ part, value }) => [part, value]),
      );
      return [
        ...examined.right.bands.map((limits, at): Explained => {
          const value = values.get(`band ${at}`);
          return [`band ${at}`, value === undefined ? { why: 'no line lies in the band' } : upperLimit(limits, value)];
        }),
        ...(threshold.halAlarms ?? []).map((limits, at): Explained => {
          const value = values.get(`HAL ${at}`);
          return [`HAL ${at}`, value === undefined ? {} : upperLimit(limits, value)];
        }),
      ];
    }
  }
};

const byFour = (
  part: string,
  limits: AlarmLimits | undefined,
  value: number,
  unit?: string,
): ReadonlyArray<Explained> =>
  limits === undefined
    ? []
    : [[part, { value, ...(unit !== undefined && { unit }), ...decidingLimit(limits, cellsOf(limits, value)) }]];
