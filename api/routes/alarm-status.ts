import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import type { Limits } from '../../workflows/domain/limits';
import { AlarmStatusView } from '../../workflows/domain/alarm/alarm-status';
import { ExternalPart } from '../../workflows/domain/alarm/parts';
import { codec, type Codec } from '../../workflows/domain/codecs';
import { measurementInput, type MeasurementInput } from '../../workflows/domain/measurement/measurement';
import { ageOf, withoutBody, jsonBody, type NodeRoute, withBody } from '../contract/route';
import { alarmStatusShown, externalAlarmExamples, measurementExamples } from './examples';

export const getAlarmStatus: NodeRoute = withoutBody({
  id: 'getAlarmStatus',
  summary: 'Read the alarm status of a node',
  description: 'The worst of the alarms that the node holds, and each of them. A node that was never touched reads 0.',
  method: 'GET',
  path: '/v1/alarm-status/:nodeId',
  action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS',
  answers: { 200: jsonBody('The alarm status.', AlarmStatusView, alarmStatusShown, 'Age') },
  handle: (nodes, { nodeId, isFresh, by }) =>
    pipe(
      nodes.alarmStatus(nodeId, { isFresh, by }),
      TE.map(({ value, age }) => ({ status: 200, headers: ageOf(age), body: value })),
    ),
});

export const updateAlarmStatus = (settings: ApiSettings, limits: Limits): NodeRoute =>
  withBody({
    id: 'updateAlarmStatus',
    summary: 'Send a measurement, or calculate the alarm status anew',
    description:
      'From the measurement in the body; with an empty body, from the newest measurements that the node keeps.',
    method: 'PUT',
    path: '/v1/alarm-status/:nodeId',
    action: 'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS',
    codec: orNothing(measurementInput(limits)),
    body: {
      description: 'The measurement; none: those that the node keeps are rated again.',
      mostBytes: settings.MAX_BODY_BYTES,
      mayBeEmpty: true,
      examples: measurementExamples,
    },
    answers: { 204: { description: 'The status is calculated.' } },
    handle: (nodes, { nodeId, by, sender }, measurement) =>
      pipe(
        nodes.send(
          nodeId,
          measurement === undefined
            ? { name: 'recalculate', ...sender }
            : { name: 'recordMeasurement', ...sender, measurement },
          by,
        ),
        TE.map(({ _tag }) => ({ status: 204, outcome: _tag })),
      ),
  });

/** Accepts a measurement or an empty body, which is decoded as `undefined`, because it is no JSON value. */
const orNothing = (measurement: Codec<MeasurementInput>): Codec<MeasurementInput | undefined> =>
  codec(measurement.name, measurement.schema, (input, context) =>
    input === undefined ? t.success(undefined) : measurement.validate(input, context),
  );

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
      description: 'The status, and who set it.',
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
