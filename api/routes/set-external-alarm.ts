import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { RequestLimits } from '../../process/settings';
import { object, uuid } from '../../workflows/domain/codecs';
import { Status } from '../../workflows/domain/alarm/status';
import { withBody, type NodeRoute } from './route';
import { everywhere, noBody, problems, withChange, withContent } from './answers';
import { commandOf } from './command-of';
import { externalAlarmExamples } from './examples';

/** An external alarm as callers set it. */
const ExternalAlarmInput = object('external alarm', { status: Status }, { setBy: uuid });

export const setExternalAlarm = (limits: RequestLimits): NodeRoute =>
  withBody({
    id: 'setExternalAlarm',
    summary: 'Set the external alarm of a node',
    description: 'The external part of the alarm status; it outlives every calculation.',
    method: 'PUT',
    path: '/v1/alarm-status/:nodeId/status/external',
    action: 'POINT_ALARM_STATUS::SET_EXTERNAL_ALARM_STATUS',
    writes: true,
    codec: ExternalAlarmInput,
    body: {
      name: 'ExternalAlarmInput',
      mediaType: 'application/json',
      mostBytes: limits.bodyBytes,
      mayBeEmpty: false,
      examples: externalAlarmExamples,
    },
    answers: { 204: noBody('The external alarm is set.'), ...problems(...everywhere, ...withContent, ...withChange) },
    handle: (nodes, call, alarm) =>
      pipe(
        nodes.send(call.nodeId, 'setExternalAlarm', { ...commandOf(call), ...alarm }),
        TE.map(({ unchanged }) => ({ status: 204, unchanged })),
      ),
  });
