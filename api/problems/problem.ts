import { STATUS_CODES } from 'node:http';

/** An answer of 4xx or 5xx, by RFC 9457. */
export interface Problem {
  readonly status: number;
  /** The last part of its type: `/problems/<type>`. */
  readonly type: string;
  readonly title: string;
  /** What happened in this call; never internals. */
  readonly detail: string;
  /** Members of the type besides the standard ones. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Every type that the service gives a meaning of its own, with its status and title. */
const problemTypes = {
  'invalid-request': [400, 'The request is not valid'],
  'missing-authentication-token': [401, 'The request has no token'],
  'invalid-authentication-token': [401, 'The token is not valid'],
  'unauthorized-resource': [403, 'The user lacks a permission'],
  'route-not-found': [404, 'There is nothing at this address'],
  'resource-not-found': [404, 'The node does not exist'],
  'request-method-not-allowed': [405, 'The method is not allowed here'],
  'patch-conflict': [409, 'The patch does not apply'],
  'idempotency-conflict': [409, 'The key was used for another request'],
  'precondition-failed': [412, 'The threshold is at another revision'],
  'payload-too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The body is of a media type that is not taken here'],
  'too-many-requests': [429, 'There are too many calls'],
  'internal-server-error': [500, 'The service failed'],
  unavailable: [503, 'The service cannot take the call now'],
  timeout: [504, 'The deadline passed'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type ProblemType = keyof typeof problemTypes;

export const problem = (
  type: ProblemType,
  detail: string,
  extras: Problem['extras'] = {},
  headers: Problem['headers'] = {},
): Problem => {
  const [status, title] = problemTypes[type];
  return { status, type, title, detail, extras, headers };
};

/** The problem of a bare status: 408, 417 and whatever else HTTP itself answers are named by their phrase. */
export const problemOfStatus = (status: number, detail: string): Problem => {
  const known = typeOfStatus[status];
  if (known !== undefined) return problem(known, detail);
  const title = STATUS_CODES[status] ?? 'Unknown';
  return { status, type: title.toLowerCase().replaceAll(/[^a-z]+/gu, '-'), title, detail, extras: {}, headers: {} };
};

const typeOfStatus: Readonly<Partial<Record<number, ProblemType>>> = {
  400: 'invalid-request',
  404: 'route-not-found',
  405: 'request-method-not-allowed',
  413: 'payload-too-large',
  415: 'unsupported-media-type',
  500: 'internal-server-error',
};

/** The body of `of`: `instance` is the address that was asked for. */
export const problemBody = (of: Problem, instance: string, requestId: string): Readonly<Record<string, unknown>> => ({
  type: `/problems/${of.type}`,
  title: of.title,
  status: of.status,
  detail: of.detail,
  instance: uriReference(instance),
  requestId,
  ...of.extras,
});

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `target` with everything escaped that may not stand in a URI, and not a second time what is escaped. */
const uriReference = (target: string): string =>
  target
    .replaceAll(/%(?![0-9a-f]{2})/giu, '%25')
    .replaceAll(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character));
