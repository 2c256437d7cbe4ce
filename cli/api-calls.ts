import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { array, decode, object, type Codec, type TypeOf } from '../workflows/domain/codecs';
import { AlarmStatusView } from '../workflows/domain/wire/alarm-status';
import { ThresholdView } from '../workflows/domain/wire/threshold';
import { withoutUnknown } from '../workflows/domain/wire/without-unknown';
import type { Call, Caller } from './http/attempt';
import { persistently, type Patience } from './http/persistently';
import { notReachable, type Trouble } from './trouble';

export type Threshold = TypeOf<typeof ThresholdView>;
export type AlarmStatus = TypeOf<typeof AlarmStatusView>;
type Answer<A> = Promise<E.Either<Trouble, A>>;

/** The seven calls of the API, and the only place that knows HTTP. Documents are sent as they are; the API judges them. */
export interface ApiCalls {
  readonly threshold: (nodeId: string) => Answer<Threshold>;
  readonly thresholds: (nodeIds: ReadonlyArray<string>) => Answer<ReadonlyArray<Threshold>>;
  /** `key` is what a repeat is known by; without one a new one is made. */
  readonly setThreshold: (nodeId: string, threshold: unknown, key?: string) => Answer<unknown>;
  /** Answers the threshold that the patch made. */
  readonly patchThreshold: (nodeId: string, operations: unknown) => Answer<Threshold>;
  readonly alarmStatus: (nodeId: string) => Answer<AlarmStatus>;
  readonly updateAlarmStatus: (nodeId: string, measurement: unknown) => Answer<unknown>;
  readonly setExternalAlarm: (nodeId: string, alarm: unknown) => Answer<unknown>;
}

export const createApiCalls = (caller: Caller, patience: Patience): ApiCalls => {
  const call = (call: Call): Answer<unknown> => persistently(caller, call, patience);
  const read = async <A>(codec: Codec<A>, request: Call): Answer<A> =>
    pipe(await call(request), E.chain(understood(caller, codec)));
  const write = (method: 'PUT' | 'PATCH', path: string, document: unknown, key: string = randomUUID()): Call => ({
    method,
    path,
    body: { mediaType: method === 'PUT' ? JSON_TYPE : PATCH_TYPE, text: JSON.stringify(document) },
    key,
  });
  return {
    threshold: (nodeId) => read(ThresholdView, { method: 'GET', path: thresholdPath(nodeId) }),
    thresholds: async (nodeIds) => {
      const body = { mediaType: JSON_TYPE, text: JSON.stringify({ nodeIDs: nodeIds }) };
      const answer = await read(Batch, { method: 'POST', path: '/v1/point-alarm-threshold-batch', body });
      return E.map(({ thresholds }: TypeOf<typeof Batch>) => thresholds)(answer);
    },
    setThreshold: (nodeId, threshold, key) => call(write('PUT', thresholdPath(nodeId), threshold, key)),
    patchThreshold: (nodeId, operations) => read(ThresholdView, write('PATCH', thresholdPath(nodeId), operations)),
    alarmStatus: (nodeId) => read(AlarmStatusView, { method: 'GET', path: statusPath(nodeId) }),
    updateAlarmStatus: (nodeId, measurement) => call(write('PUT', statusPath(nodeId), measurement)),
    setExternalAlarm: (nodeId, alarm) => call(write('PUT', `${statusPath(nodeId)}/status/external`, alarm)),
  };
};

const JSON_TYPE = 'application/json';
const PATCH_TYPE = 'application/json-patch+json';
const MOST_NODES = 10_000;
const Batch = object('thresholds', { thresholds: array(ThresholdView, MOST_NODES) }, {});

const thresholdPath = (nodeId: string): string => `/v1/point-alarm-threshold/${encodeURIComponent(nodeId)}`;
const statusPath = (nodeId: string): string => `/v1/alarm-status/${encodeURIComponent(nodeId)}`;

/** What a later release added is passed over; what is no such document came from something else than the API. */
const understood =
  <A>({ url }: Caller, codec: Codec<A>) =>
  (body: unknown): E.Either<Trouble, A> =>
    E.mapLeft(() => notReachable(`The API at ${url}`, `something else answers: that is no ${codec.name}`))(
      decode(codec, withoutUnknown(codec.schema, body)),
    );
