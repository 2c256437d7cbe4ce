import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { ageOf, bare, json, type NodeRoute } from '../http/route';
import { AlarmStatusView } from '../../workflows/domain/alarm/alarm-status';
import { alarmStatusShown } from './examples';

export const getAlarmStatus: NodeRoute = bare({
  id: 'getAlarmStatus',
  summary: 'Read the alarm status of a node',
  description: 'The worst of the alarms that the node holds, and each of them. A node that was never touched reads 0.',
  method: 'GET',
  path: '/v1/alarm-status/:nodeId',
  action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS',
  answers: {
    200: json('The alarm status.', AlarmStatusView, alarmStatusShown, { headersAtTimes: ['Age'] }),
  },
  handle: (nodes, { nodeId, isFresh, by }) =>
    pipe(
      nodes.alarmStatus(nodeId, { isFresh, by }),
      TE.map(({ value, age }) => ({ status: 200, headers: ageOf(age), body: value })),
    ),
});
