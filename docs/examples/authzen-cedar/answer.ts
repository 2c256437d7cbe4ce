import { evaluationIn, evaluationsIn } from './authzen-request';
import type { Decide } from './decider';

/** A status and its body as JSON. */
export interface Answered {
  readonly status: number;
  readonly body: object;
}

/** The answer to a body that was posted to `path`. */
export const answerTo = (path: string, body: unknown, decide: Decide): Answered => {
  switch (path) {
    case '/access/v1/evaluation':
      return one(body, decide);
    case '/access/v1/evaluations':
      return several(body, decide);
    default:
      return { status: 404, body: { error: 'there is no such endpoint' } };
  }
};

const NO_QUESTION: Answered = { status: 400, body: { error: 'subject, action or resource is missing' } };

const one = (body: unknown, decide: Decide): Answered => {
  const evaluation = evaluationIn(body);
  return evaluation === undefined ? NO_QUESTION : { status: 200, body: { decision: decide(evaluation) } };
};

const several = (body: unknown, decide: Decide): Answered => {
  const asked = evaluationsIn(body);
  if (asked === undefined) return one(body, decide);
  const evaluations: { readonly decision: boolean }[] = [];
  for (const evaluation of asked.evaluations) {
    const decision = decide(evaluation);
    evaluations.push({ decision });
    if (decision === asked.endsAt) break;
  }
  return { status: 200, body: { evaluations } };
};
