import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { invalidRequest } from '../problems/of-request';
import { problemOfStatus, type Problem } from '../problems/problem';
import { answerProblem } from './respond';

/**
 * Refuses what Node lets through, or would answer without a body: no version, no `Host` or several (RFC 9112, sections 2.3
 * and 3.2), and a second one of a field that others before us may read otherwise than we do.
 */
export const wellFormed: Middleware = async (ctx, next) => {
  const malformed = faultOf(ctx.req);
  if (malformed === undefined) await next();
  else answerProblem(ctx, malformed);
};

/** Node takes the first of several, and drops the rest. */
const onlyOnce = ['Host', 'Authorization', 'Content-Type'];

const faultOf = ({ httpVersion, headers, headersDistinct }: IncomingMessage): Problem | undefined => {
  const severally = onlyOnce.filter((name) => (headersDistinct[name.toLowerCase()] ?? []).length > 1);
  if (severally.length > 0)
    return invalidRequest(severally.map((name) => ({ name, reason: 'is given more than once' })));
  switch (httpVersion) {
    case '1.0':
      return undefined;
    case '1.1':
      return headers.host === undefined ? invalidRequest([{ name: 'Host', reason: 'is required' }]) : undefined;
    case '0.9':
      return problemOfStatus(400, 'The request line has no version.');
    default:
      return problemOfStatus(505, 'HTTP/1.1 is spoken here.');
  }
};
