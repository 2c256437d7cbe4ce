import type { Middleware } from 'koa';
import { invalidRequest } from '../problems/of-request';
import { answerProblem } from './respond';

/** HTTP/1.1 without `Host` is malformed (RFC 9112, section 3.2); Node itself would answer it without a body. */
export const needsHost: Middleware = async (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.headers.host === undefined) {
    answerProblem(ctx, invalidRequest([{ name: 'Host', reason: 'is required' }]));
    return;
  }
  await next();
};
