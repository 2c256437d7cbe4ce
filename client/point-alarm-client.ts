import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { isProblemType } from '../api/http/problems/catalogue';
import { ProblemView } from '../api/http/problems/problem-view';
import { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import { type Codec, decode, withoutUnknown } from '../workflows/domain/codecs';
import { ThresholdsView, ThresholdView } from '../workflows/domain/threshold/threshold';
import { createCall, IDEMPOTENCY_KEY, type Ask, type Reply } from './call';
import type {
  ClientSettings,
  PointAlarmClient,
  ProblemBody,
  Reason,
  Tagged,
  TaggedThreshold,
  ThresholdWriteOptions,
} from './interface';

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

/** A client of the API: errors are a `Failure`, nothing is thrown. */
export const createPointAlarmClient = (settings: ClientSettings): PointAlarmClient => {
  const call = createCall(settings);
  return {
    setThreshold: (nodeId, threshold, options = {}) =>
      call(() => put(thresholdOf(nodeId), threshold, written(options)), options, readTag),
    patchThreshold: (nodeId, operations, options = {}) =>
      call(
        () => ({ ...put(thresholdOf(nodeId), operations, { ...written(options), ...JSON_PATCH }), method: 'PATCH' }),
        options,
        readThreshold,
      ),
    getThreshold: (nodeId, options = {}) => call(() => get(thresholdOf(nodeId)), options, readThreshold),
    getChangedThreshold: (nodeId, etag, options = {}) =>
      call(
        () => ({ ...get(thresholdOf(nodeId)), headers: { 'If-None-Match': etag } }),
        options,
        (reply): E.Either<Reason, TaggedThreshold | undefined> =>
          reply.status === 304 ? E.right(undefined) : readThreshold(reply),
      ),
    getThresholds: (nodeIds, options = {}) =>
      call(
        () => ({ method: 'POST', path: 'point-alarm-threshold-batch', body: { nodeIDs: nodeIds } }),
        options,
        (reply: Reply) =>
          pipe(
            readValue(ThresholdsView, reply),
            E.map(({ thresholds }) => thresholds),
          ),
      ),
    getAlarmStatus: (nodeId, options = {}) =>
      call(
        () => get(statusOf(nodeId)),
        options,
        (reply) => readValue(AlarmStatusView, reply),
      ),
    updateAlarmStatus: (nodeId, measurement, options = {}) =>
      call(() => put(statusOf(nodeId), measurement, written(options)), options, readNothing),
    setExternalAlarm: (nodeId, alarm, options = {}) =>
      call(() => put(`${statusOf(nodeId)}/status/external`, alarm, written(options)), options, readNothing),
  };
};

const thresholdOf = (nodeId: string): string => `point-alarm-threshold/${encodeURIComponent(nodeId)}`;
const statusOf = (nodeId: string): string => `alarm-status/${encodeURIComponent(nodeId)}`;

const get = (path: string): Ask => ({ method: 'GET', path });
const put = (path: string, body: unknown, headers: Readonly<Record<string, string>>): Ask => ({
  method: 'PUT',
  path,
  body,
  headers,
});

/** The headers of a write: only a write with a key can be retried. */
const written = ({
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
}: ThresholdWriteOptions): Readonly<Record<string, string>> => ({
  [IDEMPOTENCY_KEY]: idempotencyKey ?? crypto.randomUUID(),
  ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
});

const readTag = (reply: Reply): E.Either<Reason, Tagged> =>
  pipe(
    readNothing(reply),
    E.map(() => tagOf(reply)),
  );

const readThreshold = (reply: Reply): E.Either<Reason, TaggedThreshold> =>
  pipe(
    readValue(ThresholdView, reply),
    E.map((threshold) => ({ threshold, ...tagOf(reply) })),
  );

const tagOf = (reply: Reply): Tagged => {
  const etag = reply.header('ETag');
  return etag === undefined ? {} : { etag };
};

/** The value in the body of a 200. Errors: Problem, StrangeAnswer. */
const readValue = <A>(codec: Codec<A>, reply: Reply): E.Either<Reason, A> =>
  reply.status === 200
    ? pipe(
        decode(codec, withoutUnknown(codec.schema, reply.json)),
        E.mapLeft((faults) => strange(reply, faults.map(({ name, reason }) => `${name} ${reason}`).join('; '))),
      )
    : E.left(reasonOf(reply));

/** Nothing, of a 204. Errors: Problem, StrangeAnswer. */
const readNothing = (reply: Reply): E.Either<Reason, void> =>
  reply.status === 204 ? E.right(undefined) : E.left(reasonOf(reply));

const reasonOf = (reply: Reply): Reason => {
  const body = decode(ProblemView, withoutUnknown(ProblemView.schema, reply.json));
  return E.isRight(body) && body.right.status === reply.status
    ? { _tag: 'Problem', type: typeOf(body.right), body: body.right, ...retryAfter(reply) }
    : strange(reply, 'it is neither what was asked for nor a problem');
};

const typeOf = ({ type }: ProblemBody) => {
  const name = type.replace(/^\/problems\//u, '');
  return isProblemType(name) ? name : 'other';
};

const strange = (reply: Reply, reason: string): Reason => ({
  _tag: 'StrangeAnswer',
  status: reply.status,
  reason,
  ...retryAfter(reply),
});

/** Seconds; a date, which only proxies send, is ignored. */
const retryAfter = (reply: Reply): { readonly retryAfter?: number } => {
  const seconds = reply.header('Retry-After');
  return seconds !== undefined && /^\d{1,9}$/u.test(seconds) ? { retryAfter: Number(seconds) } : {};
};
