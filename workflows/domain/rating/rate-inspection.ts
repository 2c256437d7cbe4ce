import { notRatable, type Part } from '../alarm/parts';
import { worst } from '../alarm/status';
import type { Inspection } from '../threshold/inspection';
import type { MeasurementOf } from '../measurement/measurement';

/** The worst status among the choices answered; answers that are no choice are passed over, none left is NO_DATA. */
export const rateInspection = (
  { choices }: Inspection,
  { measurementId, questionAnswers }: MeasurementOf<'QUESTION_ANSWERS'>,
): Part => {
  const answered = choices.filter(({ answer }) => questionAnswers.includes(answer));
  return answered.length === 0
    ? notRatable(measurementId)
    : { status: worst(answered.map(({ status }) => status)), triggeringMeasurement: measurementId };
};
