import type { Context } from 'koa';
import { problemBody, PROBLEM_MEDIA_TYPE, type Problem } from '../problems/problem';
import type { Answer } from '../../routes/route';
import type { CallState } from './call-state';
import { newRequestId } from './request-id';

type Answering = Context & { readonly state: CallState };

export const answerWith = (ctx: Answering, { status, headers = {}, body, unchanged }: Answer): void => {
  if (unchanged === true) ctx.state.isUnchanged = true;
  ctx.set(headers);
  if (body === undefined) {
    ctx.body = null;
  } else {
    ctx.set('Content-Type', 'application/json');
    ctx.body = JSON.stringify(body);
  }
  ctx.status = status;
};

export const answerProblem = (ctx: Answering, problem: Problem): void => {
  ctx.state.problem = problem.type;
  ctx.set(problem.headers);
  ctx.set('Content-Type', PROBLEM_MEDIA_TYPE);
  ctx.body = JSON.stringify(problemBody(problem, ctx.path, ctx.state.requestId ?? newRequestId()));
  ctx.status = problem.status;
};
