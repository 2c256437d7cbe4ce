import * as real from '../../../workflows/domain/rating/rate';

export * from '../../../workflows/domain/rating/rate';

/** Looks through all answers for each choice. */
export const rateMeasurement: typeof real.rateMeasurement = (rules, measurement) => {
  const { inspection } = rules.threshold;
  if (measurement.contentType === 'QUESTION_ANSWERS')
    inspection?.choices.filter(({ answer }) => measurement.questionAnswers.includes(answer));
  return real.rateMeasurement(rules, measurement);
};
