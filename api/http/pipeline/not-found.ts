import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { problem } from '../problems/problem';
import type { CallState } from './call-state';
import { answerProblem } from './respond';

/** The router's state: the routes of the path, of any method. */
type Matched = Pick<RouterContext, 'matched'>;

/** The answer where no route matched: 405 with `Allow` where the path has other methods, else 404. */
export const notFound: Middleware<CallState, Matched> = (ctx) => {
  const methods = [...new Set((ctx.matched ?? []).flatMap((layer) => layer.methods))].sort();
  answerProblem(
    ctx,
    methods.length === 0
      ? problem('route-not-found', 'Addresses are case-sensitive and have no trailing slash.')
      : problem(
          'request-method-not-allowed',
          `Allowed here: ${methods.join(', ')}.`,
          {},
          { Allow: methods.join(', ') },
        ),
  );
};
