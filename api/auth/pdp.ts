import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import type { Registry } from 'prom-client';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { Action, Outage, Permission } from '../ports';
import { isRecord } from '../../workflows/domain/codecs';
import { readJson } from '../../process/json';
import type { HttpClient, NoAnswer } from './pdp-client';
import type { Log } from '../../process/log';
import { histogram } from '../../process/metrics';

/** A request by AuthZEN: its endpoint and its body. */
interface Question {
  readonly endpoint: 'evaluation' | 'evaluations';
  readonly body: object;
}

/**
 * The request whether `userId` has each of `wanted`: one evaluation, or several in one message.
 *
 * Several share the subject, and the action of the last of them, which nearly all of a batch have: a thousand nodes take
 * 64 KB. Source: OpenID AuthZEN Authorization API 1.0, "Access Evaluation API" and "Access Evaluations API".
 */
export const questionOf = (userId: string, wanted: ReadonlyArray<Permission>): Question => {
  const subject = { type: 'user', id: userId };
  const last = wanted.at(-1);
  if (wanted.length === 1 && last !== undefined)
    return { endpoint: 'evaluation', body: { subject, ...actionOf(last), ...resourceOf(last) } };
  return {
    endpoint: 'evaluations',
    body: {
      subject,
      ...(last !== undefined && actionOf(last)),
      options: { evaluations_semantic: 'execute_all' },
      evaluations: wanted.map((one) => ({ ...(one.action !== last?.action && actionOf(one)), ...resourceOf(one) })),
    },
  };
};

const actionOf = ({ action }: { readonly action: Action }) => ({ action: { name: action } });

/** The resource `*` is sent as the service: some PDPs give `*` a meaning (docs/decisions.md, "Authentication and permissions"). */
const resourceOf = ({ resource }: Permission) => ({
  resource: resource === '*' ? { type: 'service', id: 'point-alarm-service' } : { type: 'node', id: resource },
});

/**
 * The decisions of an answer: `count` booleans. Other members are ignored.
 *
 * Errors: an ambiguous answer is refused: no JSON, a duplicate member, a decision that is no boolean, or another number of
 *         decisions than requested.
 */
const decisionsIn = (
  endpoint: Question['endpoint'],
  count: number,
  bytes: Uint8Array,
): E.Either<NoAnswer, ReadonlyArray<boolean>> =>
  pipe(
    O.fromEither(readJson(bytes)),
    O.filter(({ faults }) => faults.length === 0),
    O.map(({ value }) => (endpoint === 'evaluation' ? [value] : memberOf(value, 'evaluations'))),
    O.filter((list): list is unknown[] => Array.isArray(list) && list.length === count),
    O.map((list) => list.map((one) => memberOf(one, 'decision'))),
    O.filter((list): list is boolean[] => list.every((decision) => typeof decision === 'boolean')),
    E.fromOption(() => ({ outcome: 'malformed', reason: `answered without ${count} clear decisions` })),
  );

const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

/** Whether the user has each of `wanted`, in their order; `wanted` is not empty. */
export type Ask = (userId: string, wanted: ReadonlyArray<Permission>) => TE.TaskEither<Outage, ReadonlyArray<boolean>>;

const unavailable: Outage = {
  _tag: 'Unavailable',
  dependency: 'The policy decision point',
  retryAfter: 2,
  mayHaveChanged: false,
};

/** Asks the PDP: one message, whatever the number of permissions. It logs when an endpoint becomes unavailable or available. */
export const createAsk = (httpClient: HttpClient, registry: Registry, log: Log): Ask => {
  const took = histogram(registry, 'point_alarm_pdp_duration_seconds');
  const silent = new Set<Question['endpoint']>();
  const report = (endpoint: Question['endpoint']) =>
    E.match(
      ({ outcome, reason }: NoAnswer) => {
        if (!silent.has(endpoint)) log.warn({ endpoint, outcome, reason }, 'the policy decision point is unavailable');
        silent.add(endpoint);
      },
      () => {
        if (silent.delete(endpoint)) log.info({ endpoint }, 'the policy decision point is available');
      },
    );
  return (userId, wanted) => () => {
    const { endpoint, body } = questionOf(userId, wanted);
    const began = performance.now();
    return pipe(
      httpClient.post(`/access/v1/${endpoint}`, body),
      TE.chainEitherK((bytes) => decisionsIn(endpoint, wanted.length, bytes)),
      T.map((answer) => {
        const outcome = E.isRight(answer) ? 'answered' : answer.left.outcome;
        took((performance.now() - began) / 1_000, { endpoint, outcome });
        report(endpoint)(answer);
        return answer;
      }),
      TE.mapLeft(() => unavailable),
    )();
  };
};
