import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import type { Limits } from '../../workflows/domain/limits';
import { thresholdNamed } from '../../workflows/domain/threshold/band';
import { isPreconditionMet } from '../../workflows/domain/threshold/precondition';
import { thresholdInput, thresholdViewNaming } from '../../workflows/domain/threshold/threshold';
import { etagOf } from '../contract/preconditions';
import { ageOf, withoutBody, jsonBody, type NodeRoute, withBody } from '../contract/route';
import { thresholdExamples, thresholdShown } from './examples';

export const setThreshold = (
  { OVERALL_REGIONS: reading, MAX_BODY_BYTES: mostBytes }: ApiSettings,
  limits: Limits,
): NodeRoute =>
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
      description: 'The whole threshold: what it leaves out is cleared.',
      mostBytes,
      examples: thresholdExamples,
    },
    answers: { 204: { description: 'The threshold is set.', headers: ['ETag'] } },
    problems: ['precondition-failed'],
    handle: (nodes, { nodeId, by, sender, conditions: { revisions } }, threshold) =>
      pipe(
        nodes.send(nodeId, { name: 'setThreshold', ...sender, ...revisions, threshold, reading }, by),
        TE.map(({ _tag, revision }) => ({ status: 204, headers: { ETag: etagOf(revision) }, outcome: _tag })),
      ),
  });

export const getThreshold = ({ BAND_THRESHOLD_NAME }: ApiSettings): NodeRoute =>
  withoutBody({
    id: 'getThreshold',
    summary: 'Read the threshold of a node',
    description: 'A node that never got one reads `{"nodeId": ..., "thresholdType": 0}`.',
    method: 'GET',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
    conditional: true,
    answers: {
      200: jsonBody('The threshold.', thresholdViewNaming(BAND_THRESHOLD_NAME), thresholdShown, 'ETag', 'Age'),
      304: {
        description: 'The caller has the threshold as it is: its ETag is in `If-None-Match`.',
        headers: ['ETag', 'Age'],
      },
    },
    handle: (nodes, { nodeId, isFresh, by, conditions }) =>
      pipe(
        nodes.threshold(nodeId, { isFresh, by }),
        TE.map(({ value: { revision, threshold }, age }) => {
          const headers = { ETag: etagOf(revision), ...ageOf(age) };
          return isPreconditionMet(conditions.revisions, revision)
            ? { status: 200, headers, body: thresholdNamed(BAND_THRESHOLD_NAME, threshold) }
            : { status: 304, headers };
        }),
      ),
  });
