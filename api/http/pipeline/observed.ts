import type { Middleware, ParameterizedContext } from 'koa';
import type { CallState } from './call-state';

/** A middleware that passes the status and the seconds of each call to `observe`; an exception counts as 500. */
export const observed =
  (observe: (ctx: ParameterizedContext<CallState>, status: number, seconds: number) => void): Middleware<CallState> =>
  async (ctx, next) => {
    const start = process.hrtime.bigint();
    const seconds = (): number => Number(process.hrtime.bigint() - start) / 1e9;
    try {
      await next();
    } catch (error) {
      ctx.state.problem = 'internal-server-error';
      observe(ctx, 500, seconds());
      throw error;
    }
    observe(ctx, ctx.status, seconds());
  };
