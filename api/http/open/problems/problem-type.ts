import { answerProblem, answerWith } from '../../pipeline/respond';
import { isProblemType, problemTypes } from '../../problems/catalogue';
import { describeType } from '../../problems/describe-type';
import { problem } from '../../problems/problem';
import { problems, withoutToken } from '../../../routes/answers';
import { ProblemTypeView } from '../../problems/problem-type-view';
import type { OpenRoute } from '../open-route';
import { policyOfPage, problemPage } from './problem-page';

/** The resource behind the `type` of a problem: a page, or JSON where `Accept` prefers it. */
export const problemType: OpenRoute = {
  id: 'problemType',
  summary: 'What a type of problem means',
  path: '/problems/:type',
  parameters: {
    type: { description: 'The last part of the `type` of a problem.', schema: { type: 'string', enum: problemTypes } },
  },
  answers: {
    200: {
      description: 'What it means; an HTML page unless `Accept` asks for JSON.',
      mediaType: 'application/json',
      instead: ['text/html'],
      codec: ProblemTypeView,
      example: describeType('patch-conflict'),
    },
    ...problems(...withoutToken, 'route-not-found'),
  },
  answer: (ctx) => {
    const type = ctx.params['type'] ?? '';
    ctx.vary('Accept');
    if (!isProblemType(type)) {
      answerProblem(ctx, problem('route-not-found', 'There is no such type of problem.'));
    } else if (ctx.accepts('text/html', 'application/json', 'application/problem+json') === 'text/html') {
      ctx.set({ 'Content-Security-Policy': policyOfPage, 'Content-Type': 'text/html; charset=utf-8' });
      ctx.body = problemPage(describeType(type));
    } else {
      answerWith(ctx, { status: 200, body: describeType(type) });
    }
    return Promise.resolve();
  },
};
