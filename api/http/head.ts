import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as E from 'fp-ts/Either';
import { decode, reasonIf, uuid, type Reason } from '../../workflows/domain/codecs';
import { IDEMPOTENCY_KEY_LENGTH } from '../../workflows/domain/limits';
import type { Cause } from '../../workflows/domain/node/cause';
import type { Caller } from '../ports';
import { conditionsOf, faultsOf } from '../contract/preconditions';
import { invalidRequest, problem, type Problem } from '../contract/problems/problem';
import type { Call, Route } from '../contract/route';

/**
 * The refusal of a request that Node accepts or would answer without a body; undefined if nothing is wrong. Refused are too
 * many header fields, versions other than HTTP/1.0 and 1.1, unknown expectations, and fields that proxies may read differently
 * (RFC 9112, sections 2.3, 3.2 and 6.1). The connection closes after such a request.
 */
export const malformedHead = (request: IncomingMessage, mostHeaders: number): Problem | undefined => {
  // `rawHeaders` lists names and values in turn.
  if (request.rawHeaders.length > 2 * mostHeaders)
    return problem('request-header-fields-too-large', `The head may have ${mostHeaders} fields.`);
  const faults = fieldFaults(request);
  if (faults.length > 0) return invalidRequest(faults);
  const { httpVersion } = request;
  if (httpVersion === '0.9') return problem('invalid-request', 'The request line has no version.');
  if (httpVersion !== '1.0' && httpVersion !== '1.1')
    return problem('http-version-not-supported', 'HTTP/1.1 is spoken here.');
  const { expect } = request.headers;
  return expect === undefined || httpVersion === '1.0' || EXPECTED.test(expect)
    ? undefined
    : problem('expectation-failed', 'Only 100-continue can be expected.');
};

/** The pattern by which Node itself recognises `100-continue`. */
const EXPECTED = /(?:^|\W)100-continue(?:$|\W)/iu;

/** Headers of which Node silently drops all values but the first. */
const ONLY_ONCE = ['Host', 'Authorization', 'Content-Type'];
const HOST = /^[\w\-.~%!$&'()*+;=:[\]]*$/u;

const fieldFaults = ({ httpVersion, headers, headersDistinct }: IncomingMessage) => {
  const severally = ONLY_ONCE.filter((name) => (headersDistinct[name.toLowerCase()] ?? []).length > 1);
  const { host, 'transfer-encoding': coding } = headers;
  return [
    ...severally.map((name) => ({ name, reason: 'is given more than once' })),
    ...reasonIf(host === undefined && httpVersion === '1.1', 'Host', 'is required'),
    ...reasonIf(host !== undefined && !HOST.test(host), 'Host', 'must be a host and its port'),
    ...reasonIf(coding !== undefined && coding.toLowerCase() !== 'chunked', 'Transfer-Encoding', 'must be chunked'),
    ...reasonIf(coding !== undefined && httpVersion === '1.0', 'Transfer-Encoding', 'is not known to HTTP/1.0'),
  ];
};

/** Decodes a user's call from its path and headers. Left: every fault in them. */
export const callOf = (
  route: Route,
  nodeIdText: string | undefined,
  headers: IncomingHttpHeaders,
  by: Required<Caller>,
  cause: Cause,
): E.Either<ReadonlyArray<Reason>, Call> => {
  const nodeId = route._tag === 'Node' ? decode(uuid, nodeIdText) : E.right('');
  const idempotencyKey = route.writes ? headers['idempotency-key']?.toString() : undefined;
  const isKeyWrong = idempotencyKey !== undefined && !VISIBLE.test(idempotencyKey);
  const faults = [
    ...(E.isLeft(nodeId) ? nodeId.left.map(({ reason }) => ({ name: 'nodeId', reason })) : []),
    ...reasonIf(isKeyWrong, 'Idempotency-Key', `must be 1 to ${IDEMPOTENCY_KEY_LENGTH} visible ASCII characters`),
    ...(route.conditional === true ? faultsOf(headers) : []),
  ];
  if (E.isLeft(nodeId) || faults.length > 0) return E.left(faults);
  return E.right({
    nodeId: nodeId.right,
    by,
    sender: { userId: by.userId, cause, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    conditions: route.conditional === true ? conditionsOf(headers, route.writes) : { revisions: {} },
    isFresh: NO_CACHE.test(headers['cache-control'] ?? ''),
  });
};

/** The directive `no-cache` of a request (RFC 9111, section 5.2.1.4). */
const NO_CACHE = /(?:^|,)\s*no-cache\s*(?:,|$)/iu;

const VISIBLE = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH}}$`, 'u');
