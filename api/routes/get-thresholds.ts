import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { RequestLimits } from '../../process/settings';
import { array, decode, described, object, refine, uuid } from '../../workflows/domain/codecs';
import { thresholdNamed, type BandThresholdName } from '../../workflows/domain/threshold/band-name';
import type { Hierarchy } from '../ports';
import type { BatchRoute } from './route';
import { thresholdsViewNaming } from '../../workflows/domain/threshold/threshold-view';
import { ageOf, oldestOf } from './age';
import { everywhere, problems, withContent } from './answers';
import { batchExample, thresholdsShown } from './examples';
import { readEach } from './read-each';

export const getThresholds = (
  limits: RequestLimits,
  hierarchy: Hierarchy,
  callDeadlineMs: number,
  bandThresholdName: BandThresholdName,
): BatchRoute => {
  const measurementPoint = refine(uuid, (nodeId) =>
    hierarchy.kindOf(nodeId) === 'measurement_point' ? [] : [{ name: '', reason: 'must be a measurement point' }],
  );
  const codec = object(
    'batch',
    {
      nodeIDs: described(
        array(measurementPoint, limits.batchNodes),
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
      mostBytes: limits.bodyBytes,
      mayBeEmpty: false,
      schema: codec.schema,
      examples: { one: batchExample },
    },
    answers: {
      200: {
        description: 'The thresholds.',
        headersAtTimes: ['Age'],
        mediaType: 'application/json',
        codec: thresholdsViewNaming(bandThresholdName),
        example: thresholdsShown(bandThresholdName),
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
              readEach([...new Set(nodeIDs)], (nodeId) => nodes.threshold(nodeId, { isFresh }), callDeadlineMs),
              TE.map((known) => ({
                status: 200,
                headers: ageOf(oldestOf(known)),
                body: {
                  thresholds: nodeIDs.map((nodeId) =>
                    thresholdNamed(bandThresholdName, known.get(nodeId)?.value.threshold),
                  ),
                },
              })),
            ),
        })),
      ),
  };
};
