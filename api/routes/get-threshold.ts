import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import { thresholdNamed } from '../../workflows/domain/threshold/band';
import { etagOf } from '../http/preconditions';
import { holds } from '../../workflows/domain/threshold/precondition';
import { ageOf, bare, json, type NodeRoute } from '../http/route';
import { thresholdViewNaming } from '../../workflows/domain/threshold/threshold';
import { thresholdShown } from './examples';

const ofThreshold = { headers: ['ETag'], headersAtTimes: ['Age'] };

export const getThreshold = ({ BAND_THRESHOLD_NAME }: ApiSettings): NodeRoute =>
  bare({
    id: 'getThreshold',
    summary: 'Read the threshold of a node',
    description: 'A node that never got one reads `{"nodeId": ..., "thresholdType": 0}`.',
    method: 'GET',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
    conditional: true,
    answers: {
      200: json('The threshold.', thresholdViewNaming(BAND_THRESHOLD_NAME), thresholdShown, ofThreshold),
      304: { description: 'The caller has the threshold as it is: its ETag is in `If-None-Match`.', ...ofThreshold },
    },
    handle: (nodes, { nodeId, isFresh, by, conditions }) =>
      pipe(
        nodes.threshold(nodeId, { isFresh, by }),
        TE.map(({ value: { revision, threshold }, age }) => {
          const headers = { ETag: etagOf(revision), ...ageOf(age) };
          return holds(conditions.revisions, revision)
            ? { status: 200, headers, body: thresholdNamed(BAND_THRESHOLD_NAME, threshold) }
            : { status: 304, headers };
        }),
      ),
  });
