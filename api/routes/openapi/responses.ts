import { typesOfHttp } from '../../http/problems/catalogue';
import { PROBLEM_MEDIA_TYPE } from '../../http/problems/problem';
import { meaningOf } from '../answers';
import type { Documented } from '../route';
import { ProblemView } from '../../http/problems/problem-view';
import { examplesOf } from './problem-examples';
import { reference, schemaOfAnswer } from './schemas';

type Members = Readonly<Record<string, unknown>>;

/** Answers to any request, at any address: HTTP itself refuses it. */
const anyOther: Documented = {
  description: `What HTTP itself refuses is a problem as well.\n\n${meaningOf(typesOfHttp)}`,
  mediaType: PROBLEM_MEDIA_TYPE,
  codec: ProblemView,
  problems: typesOfHttp,
};

/** The document's answers of a route. */
export const responsesOf = (answers: Readonly<Record<number, Documented>>): Members => ({
  ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
  default: reference('responses', 'anyOther'),
});

const responseOf = (answer: Documented): Members => ({
  description: answer.description,
  headers: Object.fromEntries(
    ['X-Request-Id', ...(answer.headers ?? []), ...(answer.headersAtTimes ?? [])].map((name) => [
      name,
      reference('headers', name),
    ]),
  ),
  ...(answer.mediaType !== undefined && {
    content: {
      [answer.mediaType]: contentOf(answer),
      ...Object.fromEntries((answer.instead ?? []).map((mediaType) => [mediaType, { schema: { type: 'string' } }])),
    },
  }),
});

const contentOf = (answer: Documented): Members => ({
  schema: schemaOfAnswer(answer),
  ...(answer.example !== undefined && { example: answer.example }),
  ...(answer.problems !== undefined && { examples: examplesOf(answer.problems) }),
});

export const responses = { anyOther: responseOf(anyOther) };
