import * as E from 'fp-ts/Either';
import { alarmParts, type AlarmPart } from '../../consumer';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import type { Measurement } from '../../workflows/domain/measurement/measurement';
import { examineSpectrum, type ExaminedSpectrum } from '../../workflows/domain/rating/examine-spectrum';
import { rateMeasurement, type Rated } from '../../workflows/domain/rating/rate';
import { cellsOf } from '../../workflows/domain/rating/rate-limits';
import type { ExaminedHal } from '../../workflows/domain/rating/vibration/hal/examine-hal';
import type { AlarmLimits } from '../../workflows/domain/threshold/limits';
import type { Threshold } from '../../workflows/domain/threshold/threshold';
import { decidingLimit, upperLimit, type Decision } from './deciding-limit';

/** A part with what decided its status. */
export interface ExplainedPart extends AlarmPart, Partial<Decision> {
  /** Why it has no data. */
  readonly why?: string;
  /** What a HAL found. */
  readonly hal?: ExaminedHal;
}

/** The parts that `measurement` rates: their statuses are those of the rating itself. */
export const explainRating = (rated: Rated, measurement: Measurement): ReadonlyArray<ExplainedPart> => {
  const parts = alarmParts(partsView(rated.threshold, rateMeasurement(rated, measurement)));
  const { rateOfChange } = measurement;
  const decisions = new Map([
    ...(rateOfChange === undefined ? [] : byFour('rate of change', rated.threshold.rateOfChange, rateOfChange)),
    ...contentDecisions(rated, measurement, parts),
  ]);
  return parts.map((part) => ({ ...part, ...decisions.get(part.part) }));
};

type Explained = readonly [part: string, Partial<ExplainedPart>];

const contentDecisions = (
  rated: Rated,
  measurement: Measurement,
  parts: ReadonlyArray<AlarmPart>,
): ReadonlyArray<Explained> => {
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
      return spectrumDecisions(threshold, examined.right, parts);
    }
  }
};

const spectrumDecisions = (
  { halAlarms = [] }: Threshold,
  { bands, hals }: ExaminedSpectrum,
  parts: ReadonlyArray<AlarmPart>,
): ReadonlyArray<Explained> => {
  const values = new Map(parts.map(({ part, value }) => [part, value]));
  return [
    ...bands.map((limits, at): Explained => {
      const value = values.get(`band ${at}`);
      return [`band ${at}`, value === undefined ? { why: 'no line lies in the band' } : upperLimit(limits, value)];
    }),
    ...hals.map((hal, at): Explained => [
      `HAL ${at}`,
      E.isLeft(hal) ? {} : { ...upperLimit(halAlarms[at] ?? {}, hal.right.index), hal: hal.right },
    ]),
  ];
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
