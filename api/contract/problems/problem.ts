import { catalogue, LONGEST_TEXT, NOTHING_CHANGED, type ProblemType } from './catalogue';
import { boundedReasons, type Reason } from '../../../workflows/domain/codecs';
import type { Refusal } from '../../../workflows/domain/node/commands';
import type { AuthenticationFailure, Outage } from '../../ports';
import { type Conditions, detailOfFailed } from '../preconditions';

/** An answer of status 4xx or 5xx (RFC 9457). */
export interface Problem {
  readonly type: ProblemType;
  /** What happened in this call; never internals of the service. */
  readonly detail: string;
  /** The members besides the standard ones of RFC 9457. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

export const problem = (
  type: ProblemType,
  detail: string,
  extras: Problem['extras'] = {},
  headers: Problem['headers'] = {},
): Problem => ({ type, detail, extras, headers });

export const addressOf = (type: ProblemType): string => `/problems/${type}`;

/** The body of a problem. `instance`: the address that was requested. */
export const problemBody = (
  { type, detail, extras }: Problem,
  instance: string,
  requestId: string,
): Readonly<Record<string, unknown>> => {
  const { title, status } = catalogue[type];
  return { type: addressOf(type), title, status, detail, instance: uriReference(instance), requestId, ...extras };
};

export const problemExample = (type: ProblemType): Readonly<Record<string, unknown>> => {
  const { detail, instance, ...members } = catalogue[type].example;
  return problemBody(problem(type, detail, members), instance, 'x7Qb3nV0kPz2LmRa');
};

/** Explains a type of problem in Markdown, as docs/errors.md does, with an example of the members that only this type has. */
export const explanationOf = (type: ProblemType): string => {
  const { status, meaning, advice, headers = [], members = {}, example } = catalogue[type];
  const { detail: _detail, instance: _instance, ...shown } = example;
  const more = [
    ...headers.map((name) => `- header \`${name}\``),
    ...Object.entries(members).map(([name, holds]) => `- member \`${name}\`: ${holds}`),
  ];
  return [
    `## ${type}`,
    '',
    `Status ${status}. ${meaning}`,
    '',
    `What to do: ${advice}`,
    '',
    ...(more.length > 0 ? [...more, ''] : []),
    ...(Object.keys(shown).length === 0 ? [] : jsonBlock(shown)),
  ].join('\n');
};

export const jsonBlock = (value: unknown): ReadonlyArray<string> => [
  '```json',
  JSON.stringify(value, undefined, 2),
  '```',
  '',
];

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `target` as a valid URI: invalid characters are escaped, escapes stay as they are, and a target that is too long is cut. */
const uriReference = (target: string): string =>
  target
    .replaceAll(/%(?![0-9a-f]{2})/giu, '%25')
    .replaceAll(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character))
    .slice(0, LONGEST_TEXT)
    .replace(/%[0-9a-f]?$/iu, '');

/** The answer to a request with faults, each of which is listed once. */
export const invalidRequest = (reasons: ReadonlyArray<Reason>): Problem => {
  const faults = boundedReasons(reasons);
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  return problem('invalid-request', `The request has ${count}.`, { reasons: faults });
};

/** The problem for a call without a valid token, a refusal or an outage. `conditions`: the preconditions of the call. */
export const problemOf = (
  refusal: AuthenticationFailure | Refusal | Outage,
  writes: boolean,
  conditions?: Conditions,
): Problem => {
  switch (refusal._tag) {
    case 'NoToken':
      return problem('missing-authentication-token', 'Send Authorization: Bearer <token>.', {}, challenge);
    case 'BadToken':
      return problem('invalid-authentication-token', refusal.reason, {}, challenge);
    case 'InvalidCommand':
      return problem('invalid-request', 'The node does not take the request.', {
        reasons: boundedReasons(refusal.reasons),
      });
    case 'PatchConflict':
      return problem('patch-conflict', 'No operation was applied.', { reasons: boundedReasons(refusal.reasons) });
    case 'IdempotencyConflict':
      return problem('idempotency-conflict', NOTHING_CHANGED, { reasons: boundedReasons(refusal.reasons) });
    case 'PreconditionFailed':
      return problem('precondition-failed', detailOfFailed(refusal.revision, conditions?.foreignTag));
    case 'QueueFull':
      return tooMany(`Too many calls wait for this node. ${NOTHING_CHANGED}`, refusal.retryAfter);
    case 'Overloaded':
      return refusal.isOwnShare
        ? tooMany(
            `Too many calls of the user wait already; those of others go on. ${NOTHING_CHANGED}`,
            refusal.retryAfter,
          )
        : unavailable('More calls wait than can be served in time.', false, refusal.retryAfter);
    case 'OutboxFull':
      return unavailable(`${refusal.waiting} events of the node wait to be published.`, false, 5);
    case 'BearingsNeeded': // rare: the API sent the patch eight times, and each time the bearings had changed
      return unavailable('The bearings that the threshold names were not looked up.', false, 1);
    case 'Defect':
      return problem('internal-server-error', `The node could not carry out the call. ${NOTHING_CHANGED}`);
    case 'Unavailable':
      return unavailable(
        `${refusal.dependency} does not answer.`,
        writes && refusal.mayHaveChanged,
        refusal.retryAfter,
      );
    case 'TimedOut':
      return problem(
        'timeout',
        writes ? 'The call may have changed the node, or may yet.' : 'The node did not answer in time.',
        { mayHaveChanged: writes },
      );
  }
};

const challenge = { 'WWW-Authenticate': 'Bearer' };

export const tooMany = (detail: string, seconds: number): Problem =>
  problem('too-many-requests', detail, {}, retryAfter(seconds));

export const unavailable = (detail: string, mayHaveChanged: boolean, seconds: number): Problem =>
  problem('unavailable', detail, { mayHaveChanged }, retryAfter(seconds));

const retryAfter = (seconds: number) => ({ 'Retry-After': String(Math.max(1, Math.ceil(seconds))) });
