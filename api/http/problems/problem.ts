import { INSTANCE_LENGTH } from './problem-view';
import { catalogue, type ProblemType } from './catalogue';
import { listed, type Reason } from '../../../workflows/domain/codecs';
import type { AuthenticationFailure } from '../../ports';

/** An answer of 4xx or 5xx, by RFC 9457. */
export interface Problem {
  readonly status: number;
  /** The last segment of its type: `/problems/<type>`. */
  readonly type: ProblemType;
  readonly title: string;
  /** The occurrence; never internals. */
  readonly detail: string;
  /** Members of the type besides the standard ones. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

export const problem = (
  type: ProblemType,
  detail: string,
  extras: Problem['extras'] = {},
  headers: Problem['headers'] = {},
): Problem => {
  const { status, title } = catalogue[type];
  return { status, type, title, detail, extras, headers };
};

/** The problem of a bare status; an unexpected status is a defect. */
export const problemOfStatus = (status: number, detail: string): Problem =>
  problem(typeOfStatus[status] ?? 'internal-server-error', detail);

const typeOfStatus: Readonly<Partial<Record<number, ProblemType>>> = {
  400: 'invalid-request',
  404: 'route-not-found',
  405: 'request-method-not-allowed',
  408: 'request-timeout',
  413: 'payload-too-large',
  415: 'unsupported-media-type',
  417: 'expectation-failed',
  431: 'request-header-fields-too-large',
  505: 'http-version-not-supported',
};

/** The address of a type, which explains it. */
export const addressOf = (type: ProblemType): string => `/problems/${type}`;

/** The body of `of`: `instance` is the requested address. */
export const problemBody = (of: Problem, instance: string, requestId: string): Readonly<Record<string, unknown>> => ({
  type: addressOf(of.type),
  title: of.title,
  status: of.status,
  detail: of.detail,
  instance: uriReference(instance),
  requestId,
  ...of.extras,
});

/** An example answer of `type`. */
export const problemExample = (type: ProblemType): Readonly<Record<string, unknown>> => {
  const { example } = catalogue[type];
  return problemBody(problem(type, example.detail, example.members), example.instance, 'x7Qb3nV0kPz2LmRa');
};

/** What `type` means, as in docs/errors.md. */
export const explanationOf = (type: ProblemType): string => {
  const { title, status, meaning, advice, headers = [], members = {} } = catalogue[type];
  const more = [
    ...headers.map((name) => `- header \`${name}\``),
    ...Object.entries(members).map(([name, holds]) => `- member \`${name}\`: ${holds}`),
  ];
  return [
    `## ${type}`,
    '',
    `${status}, "${title}". ${meaning}`,
    '',
    `What to do: ${advice}`,
    '',
    ...(more.length > 0 ? [...more, ''] : []),
    '```json',
    JSON.stringify(problemExample(type), undefined, 2),
    '```',
    '',
  ].join('\n');
};

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `target` as a valid URI: other characters are escaped once, a long one is cut. */
const uriReference = (target: string): string =>
  target
    .replaceAll(/%(?![0-9a-f]{2})/giu, '%25')
    .replaceAll(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character))
    .slice(0, INSTANCE_LENGTH)
    .replace(/%[0-9a-f]?$/iu, '');

/** The answer to a request with faults; each is listed once. */
export const invalidRequest = (reasons: ReadonlyArray<Reason>): Problem => {
  const faults = listed(reasons);
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  return problem('invalid-request', `The request has ${count}.`, { reasons: faults });
};

/** The answer to a call without a valid token. */
export const problemOfAuthentication = (failure: AuthenticationFailure): Problem => {
  switch (failure._tag) {
    case 'NoToken':
      return problem('missing-authentication-token', 'Send Authorization: Bearer <token>.', {}, challenge);
    case 'BadToken':
      return problem('invalid-authentication-token', failure.reason, {}, challenge);
  }
};

const challenge = { 'WWW-Authenticate': 'Bearer' };
