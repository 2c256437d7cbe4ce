import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { problemOfStatus } from '../problems/problem';
import type { CallState } from './call-state';
import { answerProblem } from './respond';

/**
 * The outermost middleware. An exception is a defect: it is logged with its stack and answered without. A bare status of
 * 400 or more from Koa becomes a problem.
 */
export const catchProblems =
  (log: Logger): Middleware<CallState> =>
  async (ctx, next) => {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    try {
      await next();
    } catch (error) {
      log.error({ err: error, requestId: ctx.state.requestId, route: ctx.state.route }, 'defect');
      answerProblem(ctx, problemOfStatus(500, 'The fault is logged under the request id.'));
      return;
    }
    if (ctx.status >= 400 && (ctx.body === undefined || ctx.body === null)) {
      answerProblem(ctx, problemOfStatus(ctx.status, 'No further detail is available.'));
    }
  };
