import * as c from '../../../workflows/domain/codecs';
import { BATCH_NODES, REQUEST_NAME_LENGTH, USER_ID_LENGTH } from '../../../workflows/domain/limits';
import { actions } from '../../ports';

interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** When the service answers with this problem. */
  readonly meaning: string;
  /** What the caller can do. */
  readonly advice: string;
  /** The headers of the answer besides those of every answer. */
  readonly headers?: ReadonlyArray<string>;
  /** The meaning of the problem's members besides the standard ones of RFC 9457. */
  readonly members?: Readonly<Record<string, string>>;
  /** An example's values of the members that can differ between two problems of this type. */
  readonly example: { readonly detail: string; readonly instance: string; readonly [member: string]: unknown };
}

const node = '6f9f0a6e-3c0b-4c55-9d0e-2b1c5a7f8d01';
const threshold = `/v1/point-alarm-threshold/${node}`;
const status = `/v1/alarm-status/${node}`;
export const NOTHING_CHANGED = 'Nothing was changed.';

const MAY_HAVE_CHANGED = 'True: the call may have changed the node, or may yet. False: it did not, and will not.';

const table = {
  // Faults of the request, which the caller can correct
  'invalid-request': {
    status: 400,
    title: 'The request is not valid',
    meaning: `The path, a header or the body is at fault. ${NOTHING_CHANGED}`,
    advice: 'Correct every listed fault.',
    members: { reasons: 'Every fault: `name` is its place, `reason` what is wrong.' },
    example: {
      detail: 'The request has 2 faults.',
      instance: `${status}/status/external`,
      reasons: [
        { name: 'colour', reason: 'is not a known property' },
        { name: 'status', reason: 'must be one of 0, 1, 2, 3, 4' },
      ],
    },
  },
  'missing-authentication-token': {
    status: 401,
    title: 'The request has no token',
    meaning: 'There is no `Authorization` header.',
    advice: 'Send `Authorization: Bearer <token>`.',
    headers: ['WWW-Authenticate'],
    example: { detail: 'Send Authorization: Bearer <token>.', instance: threshold },
  },
  'invalid-authentication-token': {
    status: 401,
    title: 'The token is not valid',
    meaning:
      'The token is malformed, expired or without an expiry, signed by no known key, or meant for another service.',
    advice: 'Get a new token from its issuer; `detail` states the fault.',
    headers: ['WWW-Authenticate'],
    example: { detail: 'The token has expired', instance: threshold },
  },
  'unauthorized-resource': {
    status: 403,
    title: 'The user lacks a permission',
    meaning: `The user lacks a permission for this call. ${NOTHING_CHANGED}`,
    advice: 'Ask whoever grants permissions for those listed.',
    members: {
      userId: 'The user that the token names.',
      violations: 'Every missing permission: `action`, and as `resource` the node, or `*` for the batch as such.',
    },
    example: {
      detail: 'The user lacks the listed permissions.',
      instance: threshold,
      userId: 'd3a7c1f0-5b1e-4c52-9a64-1f0c7e2b8d90',
      violations: [{ action: 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD', resource: node }],
    },
  },
  'resource-not-found': {
    status: 404,
    title: 'The node does not exist',
    meaning: 'The hierarchy does not know the node.',
    advice: 'Check the id, or have the node added to the hierarchy.',
    example: { detail: `The hierarchy does not know the node ${node}.`, instance: threshold },
  },
  'patch-conflict': {
    status: 409,
    title: 'The patch does not apply',
    meaning:
      'An operation does not fit the present threshold, or the result is not a valid threshold. No operation was applied.',
    advice: 'Read the threshold with `Cache-Control: no-cache`, and make a new patch from it.',
    members: { reasons: 'Which operation does not apply (`name` is its place in the patch), and why.' },
    example: {
      detail: 'No operation was applied.',
      instance: threshold,
      reasons: [{ name: '0.value', reason: 'differs from the current value of /overall/innerHigh' }],
    },
  },
  'idempotency-conflict': {
    status: 409,
    title: 'The key was used for another request',
    meaning: `The node knows the \`Idempotency-Key\` from another request or another user. ${NOTHING_CHANGED}`,
    advice:
      'Take a new key for each change. If an earlier try under this key got no answer, read the node first: it may have stored that try.',
    members: { reasons: 'Names the key.' },
    example: {
      detail: NOTHING_CHANGED,
      instance: threshold,
      reasons: [{ name: 'Idempotency-Key', reason: 'was used for another request to this node' }],
    },
  },
  'precondition-failed': {
    status: 412,
    title: 'The condition of the call does not hold',
    meaning: `The threshold's revision is not one that \`If-Match\` names, or it is one that \`If-None-Match\` names. ${NOTHING_CHANGED}`,
    advice:
      'Read the threshold with `Cache-Control: no-cache`, decide anew, and send the new `ETag`. If an earlier try of yours under another `Idempotency-Key` had no answer, the change may be your own. Where `detail` shows a tag such as `W/"3"`, a proxy changed your `ETag`.',
    example: { detail: 'The threshold is at revision 4.', instance: threshold },
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large',
    meaning: 'The body has too many bytes.',
    advice: 'Send less. `detail` states the limit.',
    example: { detail: 'The body may have 2097152 bytes.', instance: status },
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is of a media type that is not taken here',
    meaning: 'The endpoint takes another `Content-Type`, or the body is compressed.',
    advice: 'Send `application/json`, or `application/json-patch+json` for a patch, uncompressed.',
    example: { detail: 'The body must be application/json-patch+json.', instance: threshold },
  },
  'too-many-requests': {
    status: 429,
    title: 'There are too many calls',
    meaning: `The user exceeds the rate, or has too many calls waiting, or bodies and batches in flight. Or too many calls wait for this node, and no user has more of them. ${NOTHING_CHANGED}`,
    advice: 'Repeat it after the seconds of `Retry-After`, a write under the `Idempotency-Key` of its first try.',
    headers: ['Retry-After'],
    example: { detail: `Too many calls wait for this node. ${NOTHING_CHANGED}`, instance: status },
  },
  // Failures of the service, not of the request
  'internal-server-error': {
    status: 500,
    title: 'The service failed',
    meaning: 'A defect of the service, logged under the `requestId`.',
    advice: 'Give the operator the `requestId`. A change may have happened: read the node.',
    example: { detail: 'The fault is logged under the request id.', instance: status },
  },
  unavailable: {
    status: 503,
    title: 'The service cannot take the call now',
    meaning:
      'A dependency does not answer, the service has too many calls, bodies or batches in flight, or too many events of the node wait to be published.',
    advice:
      'Repeat it after the seconds of `Retry-After`. Repeat a write under the `Idempotency-Key` of its first try, even if `mayHaveChanged` is false: an earlier try may have changed the node. If it is true and you sent no key, do as after a `timeout`.',
    headers: ['Retry-After'],
    members: {
      mayHaveChanged: MAY_HAVE_CHANGED,
      dependencies: 'What does not answer; only `/readyz` lists it.',
    },
    example: { detail: 'Temporal does not answer.', instance: status, mayHaveChanged: false },
  },
  timeout: {
    status: 504,
    title: 'The deadline passed',
    meaning: 'The service had no result within its deadline (`CALL_DEADLINE_MS`, 10 s).',
    advice:
      'Repeat a read. Repeat a write under the `Idempotency-Key` of its first try: wait 1 s, 2 s, 4 s and so on up to 30 s, times a random number from 1 to 1.5. After five minutes, and for a measurement without a key, try every minute, each with its id and before any later one of the node. For another write without a key, wait ten seconds, read the node with `Cache-Control: no-cache`, and repeat a missing change.',
    members: { mayHaveChanged: 'True for a write: it may have changed the node, or may yet. False for a read.' },
    example: { detail: 'The call may have changed the node, or may yet.', instance: status, mayHaveChanged: true },
  },
  // Refusals of HTTP itself
  'route-not-found': {
    status: 404,
    title: 'There is nothing at this address',
    meaning: 'No endpoint has this path.',
    advice: 'Compare the path with `/openapi.json`. Case counts, and there is no trailing slash.',
    example: { detail: 'Addresses are case-sensitive and have no trailing slash.', instance: '/v1/alarm-status/' },
  },
  'request-method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    meaning: 'The path is an endpoint, but not by this method.',
    advice: 'Use a method that `Allow` lists.',
    headers: ['Allow'],
    example: { detail: 'Allowed here: POST.', instance: '/v1/point-alarm-threshold-batch' },
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning: `The request did not arrive whole in time. ${NOTHING_CHANGED}`,
    advice: 'Repeat it on a new connection, a write under the `Idempotency-Key` of its first try.',
    example: { detail: 'The request did not arrive in time.', instance: '/' },
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation Failed',
    meaning: 'The `Expect` header asks for something other than `100-continue`.',
    advice: 'Leave the header out.',
    example: { detail: 'Only 100-continue can be expected.', instance: '/' },
  },
  'request-header-fields-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    meaning: 'The head of the request is too large.',
    advice: 'Send fewer or shorter headers.',
    example: { detail: 'The head of the request is too large.', instance: '/' },
  },
  'http-version-not-supported': {
    status: 505,
    title: 'HTTP Version Not Supported',
    meaning: 'The request is of another version of HTTP than 1.1 or 1.0.',
    advice: 'Speak HTTP/1.1, or let a proxy translate.',
    example: { detail: 'HTTP/1.1 is spoken here.', instance: '/healthz' },
  },
} as const satisfies Readonly<Record<string, ProblemEntry>>;

export type ProblemType = keyof typeof table;

/** Every type of problem: answers, documents and pages come from this table. */
export const catalogue: Readonly<Record<ProblemType, ProblemEntry>> = table;

export const problemTypes: ReadonlyArray<ProblemType> = Object.keys(catalogue)
  .filter((name) => isProblemType(name))
  .sort((one, other) => catalogue[one].status - catalogue[other].status);

/** The types of problem that any address can answer with: the HTTP layer refuses the request before a route handles it. */
export const typesOfHttp: ReadonlyArray<ProblemType> = [
  'route-not-found',
  'request-method-not-allowed',
  'request-timeout',
  'expectation-failed',
  'request-header-fields-too-large',
  'http-version-not-supported',
];

export function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(catalogue, name);
}

/** Longest `detail` and `instance`, in UTF-16 units. */
export const LONGEST_TEXT = 16_384;

const reason = c.object('Reason', {
  name: c.described(
    c.text(c.REASON_NAME_LENGTH),
    'Where: a dotted path such as `overall.innerHigh`; empty: the whole.',
  ),
  reason: c.described(c.text(c.REASON_LENGTH), 'What is wrong there.'),
});
const violation = c.object('Violation', {
  action: c.described(c.oneOf('Action', actions), 'The action that the user may not do.'),
  resource: c.described(c.text(64), 'The node on which; `*` for the batch itself.'),
});

/** The body of every 4xx and 5xx answer (RFC 9457). */
export const ProblemView = c.object(
  'Problem',
  {
    type: c.described(c.text(128), 'The address of the type, which explains it; programs go by it.'),
    title: c.described(c.text(128), 'The type in words; it may change.'),
    status: c.described(c.wholeNumber, 'The HTTP status, 400 to 599.'),
    detail: c.described(c.text(LONGEST_TEXT), 'What happened in this call; it may change.'),
    instance: c.described(c.text(LONGEST_TEXT), 'The address that was called.'),
    requestId: c.described(c.text(REQUEST_NAME_LENGTH), 'The name of the call, as in `X-Request-Id` and in the log.'),
  },
  {
    reasons: c.described(c.array(reason, c.MOST_REASONS), 'Every fault that was found.'),
    userId: c.described(c.text(USER_ID_LENGTH), 'The user of the token (403).'),
    // One violation for each node of a batch, and one for the batch itself.
    violations: c.described(c.array(violation, BATCH_NODES + 1), 'Every permission that the user lacks (403).'),
    mayHaveChanged: c.described(c.flag, `${MAY_HAVE_CHANGED} In every problem of 503 and 504.`),
    dependencies: c.described(c.array(c.text(64), 16), 'What does not answer (503 of `/readyz`).'),
  },
);
