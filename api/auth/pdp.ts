import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import type { Registry } from 'prom-client';
import type * as TE from 'fp-ts/TaskEither';
import { interceptors, Pool } from 'undici';
import { createShares } from '../admission/shares';
import { type Action, type Outage, type Permission, noAnswerOf } from '../ports';
import { isRecord } from '../../workflows/domain/codecs';
import { readJson } from '../../process/json';
import { reasonOf } from '../../process/reason-of';
import type { Log } from '../../process/log';
import { histogram } from '../../process/metrics';
import { createReminder, type Reminder } from '../../process/reminder';

/** Why a request to the PDP failed; the reason continues "it". `surplus`: it was not sent, since too many of its user wait. */
export interface NoAnswer {
  readonly outcome: 'timeout' | 'failed' | 'status' | 'malformed' | 'surplus';
  readonly reason: string;
}

/** Posts JSON below one URL on behalf of a user, and yields the bytes of a 200 answer; redirects are not followed. */
type Post = (path: string, body: object, userId: string) => TE.TaskEither<NoAnswer, Uint8Array>;

/** A request by AuthZEN: its endpoint and its body. */
interface Question {
  readonly endpoint: 'evaluation' | 'evaluations';
  readonly body: object;
}

/**
 * The request whether `userId` has each of `wanted` (OpenID AuthZEN Authorization API 1.0). Several are one message: they share the
 * subject, and the action of the last of them, which nearly all of a batch have, so that a thousand nodes take 64 KB.
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

/** The resource `*` is sent as the service: some PDPs give `*` a meaning (docs/contributing/decisions.md, "Authentication and permissions"). */
const resourceOf = ({ resource }: Permission) => ({
  resource: resource === '*' ? { type: 'service', id: 'point-alarm-service' } : { type: 'node', id: resource },
});

/** The decisions of an answer. One that is not exactly `count` booleans, or names a member twice, is ambiguous: refused. */
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

/** Asks the PDP: one message, whatever the number of permissions. It logs when an endpoint is unavailable, each minute, and available. */
export const createAsk = (post: Post, registry: Registry, log: Log): Ask => {
  const took = histogram(registry, 'point_alarm_pdp_duration_seconds');
  const silent = new Map<Question['endpoint'], Reminder>();
  return (userId, wanted) => async () => {
    const { endpoint, body } = questionOf(userId, wanted);
    const began = performance.now();
    const bytes = await post(`/access/v1/${endpoint}`, body, userId)();
    if (E.isLeft(bytes) && bytes.left.outcome === 'surplus')
      return E.left({ _tag: 'Overloaded', retryAfter: 1, isOwnShare: true });
    const answer = E.isRight(bytes) ? decisionsIn(endpoint, wanted.length, bytes.right) : bytes;
    const outcome = E.isRight(answer) ? 'answered' : answer.left.outcome;
    took((performance.now() - began) / 1_000, { endpoint, outcome });
    if (E.isRight(answer)) {
      if (silent.delete(endpoint)) log.info({ endpoint }, 'the policy decision point is available');
      return answer;
    }
    const reminder = silent.get(endpoint) ?? createReminder();
    if (reminder.isDue()) log.warn({ endpoint, ...answer.left }, 'the policy decision point is unavailable');
    silent.set(endpoint, reminder);
    return E.left(noAnswerOf('The policy decision point', 2));
  };
};

/** Connection cap; users take turns for them, each with at most as many as are left for others. */
const MOST_CONNECTIONS = 64;
const MOST_BYTES = 4_194_304;

/** An idle connection may end just as it is used again. A request to the PDP changes nothing, so it is repeated. */
const whereConnectionEnded = interceptors.retry({
  methods: ['POST'],
  errorCodes: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  statusCodes: [],
  maxRetries: 2,
  minTimeout: 1,
});

/** `token`: sent as a bearer token; `timeoutMs`: time limit of an exchange, including the wait for one's turn. */
export const createPost = (url: string, token: string | undefined, timeoutMs: number) => {
  const { origin, pathname, search } = new URL(url);
  const late: NoAnswer = { outcome: 'timeout', reason: `did not answer within ${timeoutMs} ms` };
  const pool = new Pool(origin, {
    connections: MOST_CONNECTIONS,
    connect: { timeout: timeoutMs },
    maxResponseSize: MOST_BYTES,
  });
  const dispatcher = pool.compose(whereConnectionEnded);
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const shares = createShares(MOST_CONNECTIONS);
  const exchange = async (path: string, json: object, signal: AbortSignal): Promise<E.Either<NoAnswer, Uint8Array>> => {
    const target = `${pathname.replace(/\/+$/u, '')}${path}${search}`;
    try {
      const request = { method: 'POST', path: target, headers, body: JSON.stringify(json), signal } as const;
      const { statusCode, body } = await dispatcher.request(request);
      if (statusCode === 200) return E.right(await body.bytes());
      void body.dump().catch(() => undefined); // keeps the connection alive
      return E.left({ outcome: 'status', reason: `answered ${statusCode}` });
    } catch (error) {
      return signal.aborted
        ? E.left(late)
        : E.left({ outcome: 'failed', reason: `did not answer: ${reasonOf(error)}` });
    }
  };
  const post: Post = (path, json, userId) => async () => {
    if (shares.isFull(userId)) return E.left({ outcome: 'surplus', reason: 'was not asked' });
    const signal = AbortSignal.timeout(timeoutMs);
    return (await shares.run(userId, signal, () => exchange(path, json, signal))) ?? E.left(late);
  };
  return { post, close: () => void pool.destroy() };
};
