import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import { ExternalPart } from '../../workflows/domain/alarm/parts';
import { type NodeRoute, withBody } from '../http/route';
import { externalAlarmExamples } from './examples';

export const setExternalAlarm = (settings: ApiSettings): NodeRoute =>
  withBody({
    id: 'setExternalAlarm',
    summary: 'Set the external alarm of a node',
    description: 'The external part of the alarm status; it outlives every calculation. Status 0 clears it.',
    method: 'PUT',
    path: '/v1/alarm-status/:nodeId/status/external',
    action: 'POINT_ALARM_STATUS::SET_EXTERNAL_ALARM_STATUS',
    codec: ExternalPart,
    body: {
      name: 'ExternalAlarmInput',
      mostBytes: settings.MAX_BODY_BYTES,
      examples: externalAlarmExamples,
    },
    answers: { 204: { description: 'The external alarm is set.' } },
    handle: (nodes, { nodeId, by, sender }, alarm) =>
      pipe(
        nodes.send(nodeId, { name: 'setExternalAlarm', ...sender, ...alarm }, by),
        TE.map(({ _tag }) => ({ status: 204, outcome: _tag })),
      ),
  });
