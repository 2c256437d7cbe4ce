import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { thresholdNamed, type BandThresholdName } from '../../workflows/domain/threshold/band-name';
import { etagOf } from '../http/pipeline/if-match';
import { bare, type NodeRoute } from './route';
import { thresholdViewNaming } from '../../workflows/domain/threshold/threshold-view';
import { ageOf } from './age';
import { everywhere, problems } from './answers';
import { thresholdShown } from './examples';

export const getThreshold = (bandThresholdName: BandThresholdName): NodeRoute =>
  bare({
    id: 'getThreshold',
    summary: 'Read the threshold of a node',
    description: 'A node that never got one reads `{"nodeId": ..., "thresholdType": 0}`.',
    method: 'GET',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
    writes: false,
    answers: {
      200: {
        description: 'The threshold.',
        headers: ['ETag'],
        headersAtTimes: ['Age'],
        mediaType: 'application/json',
        codec: thresholdViewNaming(bandThresholdName),
        example: thresholdShown,
      },
      ...problems(...everywhere),
    },
    handle: (nodes, { nodeId, isFresh }) =>
      pipe(
        nodes.threshold(nodeId, { isFresh }),
        TE.map(({ value: { revision, threshold }, age }) => ({
          status: 200,
          headers: { ETag: etagOf(revision), ...ageOf(age) },
          body: thresholdNamed(bandThresholdName, threshold),
        })),
      ),
  });
