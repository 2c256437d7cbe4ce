import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { RequestLimits } from '../../process/settings';
import { thresholdInput } from '../../workflows/domain/threshold/threshold';
import { etagOf } from '../http/pipeline/preconditions';
import { withBody, type NodeRoute } from './route';
import { everywhere, noBody, problems, withChange, withContent } from './answers';
import { commandOf } from './command-of';
import { thresholdExamples } from './examples';

export const setThreshold = (limits: RequestLimits): NodeRoute =>
  withBody({
    id: 'setThreshold',
    summary: 'Replace the threshold of a node',
    description:
      'The threshold replaces the one before as a whole, and a new alarm status is calculated. An empty one clears it.',
    method: 'PUT',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD',
    writes: true,
    conditional: true,
    codec: thresholdInput(limits),
    body: {
      name: 'AlarmThresholdInput',
      mediaType: 'application/json',
      mostBytes: limits.bodyBytes,
      mayBeEmpty: false,
      examples: thresholdExamples,
    },
    answers: {
      204: noBody('The threshold is set.', ['ETag']),
      ...problems(...everywhere, ...withContent, ...withChange, 'precondition-failed'),
    },
    handle: (nodes, call, threshold) =>
      pipe(
        nodes.send(call.nodeId, 'setThreshold', { ...commandOf(call), threshold }),
        TE.map(({ revision, unchanged }) => ({ status: 204, headers: { ETag: etagOf(revision) }, unchanged })),
      ),
  });
