import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import { limitsOf } from '../settings';
import { thresholdInput } from '../../workflows/domain/threshold/threshold';
import { etagOf } from '../http/preconditions';
import { conditionalSenderOf, noBody, type NodeRoute, ofWrites, problems, withBody } from '../http/route';
import { thresholdExamples } from './examples';

export const setThreshold = (settings: ApiSettings): NodeRoute =>
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
    codec: thresholdInput(limitsOf(settings)),
    body: {
      name: 'AlarmThresholdInput',
      mediaType: 'application/json',
      mostBytes: settings.MAX_BODY_BYTES,
      mayBeEmpty: false,
      examples: thresholdExamples,
    },
    answers: {
      204: noBody('The threshold is set.', ['ETag']),
      ...problems(...ofWrites, 'precondition-failed'),
    },
    handle: (nodes, call, threshold) =>
      pipe(
        nodes.send(call.nodeId, { name: 'setThreshold', ...conditionalSenderOf(call), threshold }),
        TE.map(({ revision, unchanged }) => ({ status: 204, headers: { ETag: etagOf(revision) }, unchanged })),
      ),
  });
