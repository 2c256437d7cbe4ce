import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { pipe } from 'fp-ts/function';
import { beforeDeadline, type Hierarchy, type Outage, type ReadResult } from '../ports';
import { inParallel } from '../../process/in-parallel';
import type { ApiSettings } from '../../process/settings';
import { array, described, object, refine, uuid } from '../../workflows/domain/codecs';
import { thresholdNamed } from '../../workflows/domain/threshold/band';
import { ageOf, batch, json, type BatchRoute } from '../http/route';
import { thresholdsOf, thresholdViewNaming } from '../../workflows/domain/threshold/threshold';
import { batchExample, thresholdsShown } from './examples';

/** Concurrent reads of one batch. */
const AT_ONCE = 64;

/** The results of `read` for `ids`, by id. The first failure ends it, and so does the deadline `ms`. */
const readEach = <A>(
  ids: ReadonlyArray<string>,
  read: (id: string) => TE.TaskEither<Outage, A>,
  ms: number,
): TE.TaskEither<Outage, ReadonlyMap<string, A>> =>
  beforeDeadline(ms, async () => {
    const until = Date.now() + ms;
    const known = new Map<string, A>();
    let failure: E.Either<Outage, never> | undefined;
    const readOne = async (id: string): Promise<void> => {
      const found = Date.now() < until ? await read(id)() : E.left<Outage>({ _tag: 'TimedOut' });
      if (E.isRight(found)) known.set(id, found.right);
      else failure ??= found;
    };
    await inParallel(ids, AT_ONCE, readOne, () => failure === undefined);
    return failure ?? E.right(known);
  });

export const getThresholds = (settings: ApiSettings, hierarchy: Hierarchy): BatchRoute => {
  const { BAND_THRESHOLD_NAME: limitsName, CALL_DEADLINE_MS } = settings;
  const measurementPoint = refine(uuid, (nodeId) =>
    hierarchy.kindOf(nodeId) === 'measurement_point' ? [] : [{ name: '', reason: 'must be a measurement point' }],
  );
  const nodeIDs = array(measurementPoint, settings.MAX_BATCH_NODES);
  return batch({
    id: 'getThresholds',
    summary: 'Read the thresholds of several nodes',
    description:
      'The answer has the order and the length of `nodeIDs`, repeats included. All or nothing: an id that is no measurement point, a permission that is lacking, or a threshold that cannot be read refuses the whole call.',
    method: 'POST',
    path: '/v1/point-alarm-threshold-batch',
    action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH',
    actionOfEach: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
    codec: object('AlarmThresholdBatch', {
      nodeIDs: described(nodeIDs, 'The nodes, measurement points all; they may repeat.'),
    }),
    body: { description: 'The nodes to read.', mostBytes: settings.MAX_BODY_BYTES, examples: { one: batchExample } },
    answers: {
      200: json('The thresholds.', thresholdsOf(thresholdViewNaming(limitsName)), thresholdsShown(limitsName), 'Age'),
    },
    accept: ({ nodeIDs: wanted }) => {
      const nodeIds = [...new Set(wanted)];
      return {
        nodeIds,
        handle: (nodes, { isFresh, by }) =>
          pipe(
            readEach(nodeIds, (nodeId) => nodes.threshold(nodeId, { isFresh, by }), CALL_DEADLINE_MS),
            TE.map((known) => ({
              status: 200,
              headers: ageOf(oldestOf([...known.values()])),
              body: {
                thresholds: wanted.map((nodeId) => thresholdNamed(limitsName, known.get(nodeId)?.value.threshold)),
              },
            })),
          ),
      };
    },
  });
};

/** The greatest age of several reads; none where all come from the nodes themselves. */
const oldestOf = (found: ReadonlyArray<ReadResult<unknown>>): number | undefined => {
  const ages = found.flatMap(({ age }) => (age === undefined ? [] : [age]));
  return ages.length === 0 ? undefined : Math.max(...ages);
};
