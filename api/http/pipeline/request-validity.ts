import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { invalidRequest } from '../problems/of-request';
import { problemOfStatus, type Problem } from '../problems/problem';
import { answerProblem } from './respond';

/**
 * Refuses requests that Node accepts, or would answer without a body: more header fields than `mostHeaders`, no version,
 * and fields that a proxy may read in another way. The connection ends with such a request.
 *
 * Source: RFC 9112, sections 2.3, 3.2 and 6.1.
 */
export const requestValidity =
  (mostHeaders: number): Middleware =>
  async (ctx, next) => {
    const malformed = tooMany(ctx.req, mostHeaders) ?? faultOf(ctx.req);
    if (malformed === undefined) {
      await next();
      return;
    }
    ctx.res.shouldKeepAlive = false;
    answerProblem(ctx, malformed);
  };

/** Names and values alternate in `rawHeaders`. */
const tooMany = ({ rawHeaders }: IncomingMessage, most: number): Problem | undefined =>
  rawHeaders.length > 2 * most ? problemOfStatus(431, `The head may have ${most} fields.`) : undefined;

const faultOf = (request: IncomingMessage): Problem | undefined => {
  const faults = fieldFaults(request);
  if (faults.length > 0) return invalidRequest(faults);
  switch (request.httpVersion) {
    case '1.0':
    case '1.1':
      return undefined;
    case '0.9':
      return problemOfStatus(400, 'The request line has no version.');
    default:
      return problemOfStatus(505, 'HTTP/1.1 is spoken here.');
  }
};

/** Node takes the first of several, and drops the rest. */
const ONLY_ONCE = ['Host', 'Authorization', 'Content-Type'];
const HOST = /^[\w\-.~%!$&'()*+;=:[\]]*$/u;

const fieldFaults = ({ httpVersion, headers, headersDistinct }: IncomingMessage) => {
  const severally = ONLY_ONCE.filter((name) => (headersDistinct[name.toLowerCase()] ?? []).length > 1);
  const { host, 'transfer-encoding': coding } = headers;
  return [
    ...severally.map((name) => ({ name, reason: 'is given more than once' })),
    ...(host === undefined && httpVersion === '1.1' ? [{ name: 'Host', reason: 'is required' }] : []),
    ...(host === undefined || HOST.test(host) ? [] : [{ name: 'Host', reason: 'must be a host and its port' }]),
    ...(coding === undefined || coding.toLowerCase() === 'chunked'
      ? []
      : [{ name: 'Transfer-Encoding', reason: 'must be chunked' }]),
    ...(coding !== undefined && httpVersion === '1.0'
      ? [{ name: 'Transfer-Encoding', reason: 'is not known to HTTP/1.0' }]
      : []),
  ];
};
