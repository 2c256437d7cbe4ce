import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import type { Limits } from '../../workflows/domain/limits';
import { thresholdInput } from '../../workflows/domain/threshold/threshold';
import { etagOf } from '../http/preconditions';
import { type NodeRoute, withBody } from '../http/route';
import { thresholdExamples } from './examples';

export const setThreshold = (settings: ApiSettings, limits: Limits): NodeRoute =>
  withBody({
    id: 'setThreshold',
    summary: 'Replace the threshold of a node',
    description:
      'The threshold replaces the one before as a whole, and a new alarm status is calculated. An empty one clears it.',
    method: 'PUT',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD',
    conditional: true,
    codec: thresholdInput(limits),
    body: {
      name: 'AlarmThresholdInput',
      mostBytes: settings.MAX_BODY_BYTES,
      examples: thresholdExamples,
    },
    answers: { 204: { description: 'The threshold is set.', headers: ['ETag'] } },
    problems: ['precondition-failed'],
    handle: (nodes, { nodeId, by, sender, conditions: { revisions } }, threshold) =>
      pipe(
        nodes.send(
          nodeId,
          { name: 'setThreshold', ...sender, ...revisions, threshold, reading: settings.OVERALL_REGIONS },
          by,
        ),
        TE.map(({ _tag, revision }) => ({ status: 204, headers: { ETag: etagOf(revision) }, outcome: _tag })),
      ),
  });
