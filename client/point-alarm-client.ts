import * as E from 'fp-ts/Either';
import { flow, pipe } from 'fp-ts/function';
import { isProblemType, ProblemView } from '../api/contract/problems/catalogue';
import { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import { type Codec, decode, reasonsInWords, withoutUnknown } from '../workflows/domain/codecs';
import { thresholdsOf, ThresholdView } from '../workflows/domain/threshold/threshold';
import { createCall, IDEMPOTENCY_KEY, type HttpRequest, type HttpReply } from './call';
import type { ClientSettings, PointAlarmClient, Tagged, ThresholdWriteOptions, TryFailure } from './interface';

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

/** Creates a client of the API. Its methods return errors as a `Failure`, and never throw or reject. */
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
        (reply) => (reply.status === 304 ? E.right(undefined) : readThreshold(reply)),
      ),
    getThresholds: (nodeIds, options = {}) =>
      call(
        () => ({ method: 'POST', path: 'point-alarm-threshold-batch', body: JSON.stringify({ nodeIDs: nodeIds }) }),
        options,
        flow(
          readValue(thresholdsOf(ThresholdView)),
          E.map(({ thresholds }) => thresholds),
        ),
      ),
    getAlarmStatus: (nodeId, options = {}) => call(() => get(statusOf(nodeId)), options, readValue(AlarmStatusView)),
    updateAlarmStatus: (nodeId, measurement, options = {}) =>
      call(() => put(statusOf(nodeId), measurement, written(options)), options, readNothing),
    setExternalAlarm: (nodeId, alarm, options = {}) =>
      call(() => put(`${statusOf(nodeId)}/status/external`, alarm, written(options)), options, readNothing),
  };
};

const thresholdOf = (nodeId: string): string => `point-alarm-threshold/${encodeURIComponent(nodeId)}`;
const statusOf = (nodeId: string): string => `alarm-status/${encodeURIComponent(nodeId)}`;

const get = (path: string): HttpRequest => ({ method: 'GET', path });
/** A PUT whose body is `document` as JSON; no body if undefined. Throws if `document` cannot be written as JSON. */
const put = (path: string, document: unknown, headers: Readonly<Record<string, string>>): HttpRequest => {
  const body = JSON.stringify(document) as string | undefined;
  if (body === undefined && document !== undefined) throw new Error('the body cannot be written as JSON');
  return { method: 'PUT', path, ...(body !== undefined && { body }), headers };
};

/** The headers of a write. Each write has an idempotency key, because a write without a key cannot safely be retried. */
const written = (options: ThresholdWriteOptions): Readonly<Record<string, string>> => ({
  [IDEMPOTENCY_KEY]: options.idempotencyKey ?? crypto.randomUUID(),
  ...(options.ifMatch !== undefined && { 'If-Match': options.ifMatch }),
  ...(options.ifNoneMatch !== undefined && { 'If-None-Match': options.ifNoneMatch }),
});

const readTag = (reply: HttpReply): E.Either<TryFailure, Tagged> => E.map(() => tagOf(reply))(readNothing(reply));

const readThreshold = (reply: HttpReply) =>
  pipe(
    readValue(ThresholdView)(reply),
    E.map((threshold) => ({ threshold, ...tagOf(reply) })),
  );

const tagOf = (reply: HttpReply): Tagged => {
  const etag = reply.header('ETag');
  return etag === undefined ? {} : { etag };
};

/** Reads the value in the body of a 200 answer. Errors: Problem, StrangeAnswer. */
const readValue =
  <A>(codec: Codec<A>) =>
  (reply: HttpReply): E.Either<TryFailure, A> =>
    reply.status === 200
      ? pipe(
          decode(codec, withoutUnknown(codec.schema, reply.json)),
          E.mapLeft((faults) => strange(reply, reasonsInWords(faults))),
        )
      : E.left(refusalOf(reply));

/** Accepts a 204 answer, which holds no value. Errors: Problem, StrangeAnswer. */
const readNothing = (reply: HttpReply): E.Either<TryFailure, void> =>
  reply.status === 204 ? E.right(undefined) : E.left(refusalOf(reply));

const refusalOf = (reply: HttpReply): TryFailure => {
  const body = decode(ProblemView, withoutUnknown(ProblemView.schema, reply.json));
  return E.isRight(body) && body.right.status === reply.status
    ? { _tag: 'Problem', type: typeOf(body.right.type), body: body.right, ...retryAfter(reply) }
    : strange(reply, 'it is neither what was asked for nor a problem');
};

const typeOf = (address: string) => {
  const name = address.replace(/^\/problems\//u, '');
  return isProblemType(name) ? name : 'other';
};

const strange = (reply: HttpReply, reason: string): TryFailure => ({
  _tag: 'StrangeAnswer',
  status: reply.status,
  reason,
  ...retryAfter(reply),
});

/** The seconds of `Retry-After`. The service always sends seconds; a date, which a proxy may send, is ignored. */
const retryAfter = (reply: HttpReply): { readonly retryAfter?: number } => {
  const seconds = reply.header('Retry-After');
  return seconds !== undefined && /^\d{1,9}$/u.test(seconds) ? { retryAfter: Number(seconds) } : {};
};
