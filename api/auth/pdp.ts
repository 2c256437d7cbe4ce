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

/**
 * Why a request to the policy decision point (PDP) failed. `reason` continues a sentence that begins with "it". `surplus`: the
 * request was not sent, because too many requests of its user wait.
 */
export interface PdpFailure {
  readonly outcome: 'timeout' | 'failed' | 'status' | 'malformed' | 'surplus';
  readonly reason: string;
}

/** Posts JSON to a path below the PDP's URL for a user, and returns the bytes of a 200 answer. Does not follow redirects. */
type Post = (path: string, body: object, userId: string) => TE.TaskEither<PdpFailure, Uint8Array>;

interface Question {
  readonly endpoint: 'evaluation' | 'evaluations';
  readonly body: object;
}

/**
 * Builds the request that asks whether `userId` has each permission of `wanted` (OpenID AuthZEN Authorization API 1.0). Several
 * permissions share one message, whose default action is that of the last permission. The nodes of a batch all need this
 * action, so a message about a thousand nodes takes only 73 KB.
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

/**
 * Some PDPs refuse the id `*` or read it as every node, so `*` becomes the service itself (docs/contributing/decisions.md,
 * "Authentication and permissions").
 */
const resourceOf = ({ resource }: Permission) => ({
  resource: resource === '*' ? { type: 'service', id: 'point-alarm-service' } : { type: 'node', id: resource },
});

/** Reads decisions. Refuses ambiguous JSON (a duplicate member), and an answer without exactly `count` booleans. */
const decisionsIn = (
  endpoint: Question['endpoint'],
  count: number,
  bytes: Uint8Array,
): E.Either<PdpFailure, ReadonlyArray<boolean>> =>
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

/** Asks whether the user has each permission of `wanted`, which is not empty. The answers have the same order. */
export type QueryPdp = (
  userId: string,
  wanted: ReadonlyArray<Permission>,
) => TE.TaskEither<Outage, ReadonlyArray<boolean>>;

/** Asks the PDP about all permissions in one message. Logs an outage at once, then once a minute, and logs its end. */
export const createPdpQuery = (post: Post, registry: Registry, log: Log): QueryPdp => {
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

/** Most connections to the PDP, which users share (`shares.ts`). */
const MOST_CONNECTIONS = 64;
const MOST_BYTES = 4_194_304;

/** The PDP may close an idle connection just as a request reuses it. A retry is safe: requests change nothing in the PDP. */
const whereConnectionEnded = interceptors.retry({
  methods: ['POST'],
  errorCodes: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  statusCodes: [],
  maxRetries: 2,
  minTimeout: 1,
});

/** `token`: the bearer token of requests. `timeoutMs`: time limit from asking for a connection to the end of the answer. */
export const createPdpPost = (url: string, token: string | undefined, timeoutMs: number) => {
  const { origin, pathname, search } = new URL(url);
  const late: PdpFailure = { outcome: 'timeout', reason: `did not answer within ${timeoutMs} ms` };
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
  const exchange = async (
    path: string,
    json: object,
    signal: AbortSignal,
  ): Promise<E.Either<PdpFailure, Uint8Array>> => {
    const target = `${pathname.replace(/\/+$/u, '')}${path}${search}`;
    try {
      const request = { method: 'POST', path: target, headers, body: JSON.stringify(json), signal } as const;
      const { statusCode, body } = await dispatcher.request(request);
      if (statusCode === 200) return E.right(await body.bytes());
      void body.dump().catch(() => undefined); // reads the body to its end, so that the connection can be used again
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
