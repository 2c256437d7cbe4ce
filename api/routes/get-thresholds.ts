import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { pipe } from 'fp-ts/function';
import { beforeDeadline, type Hierarchy, type Outage } from '../ports';
import type { ApiSettings } from '../../process/settings';
import { array, decode, described, object, refine, uuid } from '../../workflows/domain/codecs';
import { thresholdNamed } from '../../workflows/domain/threshold/band';
import { ageOf, type BatchRoute, everywhere, oldestOf, problems, withContent } from '../http/route';
import { thresholdsViewNaming } from '../../workflows/domain/threshold/threshold';
import { batchExample, thresholdsShown } from './examples';

/** Concurrent reads of one batch. */
const AT_ONCE = 64;

/** The results of `read` for `ids`, by id. The first failure ends it, and so does the deadline `ms`. */
const readEach = <A>(
  ids: ReadonlyArray<string>,
  read: (id: string) => TE.TaskEither<Outage, A>,
  ms: number,
): TE.TaskEither<Outage, ReadonlyMap<string, A>> => {
  const known = new Map<string, A>();
  const waiting = ids.values();
  let failure: E.Either<Outage, never> | undefined;
  const readOn = async (until: number): Promise<void> => {
    for (const id of waiting) {
      if (Date.now() >= until) failure ??= E.left({ _tag: 'TimedOut' });
      if (failure !== undefined) return;
      const found = await read(id)();
      if (E.isLeft(found)) failure = found;
      else known.set(id, found.right);
    }
  };
  return beforeDeadline(ms, async () => {
    const until = Date.now() + ms;
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, () => readOn(until)));
    return failure ?? E.right(known);
  });
};

export const getThresholds = (settings: ApiSettings, hierarchy: Hierarchy): BatchRoute => {
  const { BAND_THRESHOLD_NAME, CALL_DEADLINE_MS } = settings;
  const measurementPoint = refine(uuid, (nodeId) =>
    hierarchy.kindOf(nodeId) === 'measurement_point' ? [] : [{ name: '', reason: 'must be a measurement point' }],
  );
  const codec = object(
    'batch',
    {
      nodeIDs: described(
        array(measurementPoint, settings.MAX_BATCH_NODES),
        'The nodes, measurement points all; they may repeat.',
      ),
    },
    {},
  );
  return {
    _tag: 'Batch',
    id: 'getThresholds',
    summary: 'Read the thresholds of several nodes',
    description:
      'The answer has the order and the length of `nodeIDs`, repeats included. All or nothing: an id that is no measurement point, a permission that is lacking, or a node that does not answer refuses the whole call.',
    method: 'POST',
    path: '/v1/point-alarm-threshold-batch',
    action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH',
    actionOfEach: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
    writes: false,
    body: {
      name: 'AlarmThresholdBatch',
      mediaType: 'application/json',
      mostBytes: settings.MAX_BODY_BYTES,
      mayBeEmpty: false,
      schema: codec.schema,
      examples: { one: batchExample },
    },
    answers: {
      200: {
        description: 'The thresholds.',
        headersAtTimes: ['Age'],
        mediaType: 'application/json',
        codec: thresholdsViewNaming(BAND_THRESHOLD_NAME),
        example: thresholdsShown(BAND_THRESHOLD_NAME),
      },
      ...problems(...everywhere.filter((type) => type !== 'resource-not-found'), ...withContent),
    },
    accept: (content) =>
      pipe(
        decode(codec, content),
        E.map(({ nodeIDs }) => ({
          nodeIds: [...new Set(nodeIDs)],
          handle: (nodes, { isFresh }) =>
            pipe(
              readEach([...new Set(nodeIDs)], (nodeId) => nodes.threshold(nodeId, { isFresh }), CALL_DEADLINE_MS),
              TE.map((known) => ({
                status: 200,
                headers: ageOf(oldestOf(known)),
                body: {
                  thresholds: nodeIDs.map((nodeId) =>
                    thresholdNamed(BAND_THRESHOLD_NAME, known.get(nodeId)?.value.threshold),
                  ),
                },
              })),
            ),
        })),
      ),
  };
};
