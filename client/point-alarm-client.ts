import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import { ThresholdsView, ThresholdView } from '../workflows/domain/threshold/threshold-view';
import { createCall, written, type Ask } from './call';
import type { Reply } from './exchange';
import type { Reason } from './failure';
import type { ClientSettings, PointAlarmClient, Tagged, TaggedThreshold } from './interface';
import { readNothing, readValue } from './read-reply';

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
