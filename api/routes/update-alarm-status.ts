import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import * as TE from 'fp-ts/TaskEither';
import type { ApiSettings } from '../../process/settings';
import type { Limits } from '../../workflows/domain/limits';
import { codec, type Codec } from '../../workflows/domain/codecs';
import { measurementInput, type MeasurementInput } from '../../workflows/domain/measurement/measurement';
import { type NodeRoute, withBody } from '../http/route';
import { measurementExamples } from './examples';

export const updateAlarmStatus = (settings: ApiSettings, limits: Limits): NodeRoute =>
  withBody({
    id: 'updateAlarmStatus',
    summary: 'Calculate the alarm status of a node anew',
    description:
      'From the measurement in the body; with an empty body, from the newest measurements that the node keeps.',
    method: 'PUT',
    path: '/v1/alarm-status/:nodeId',
    action: 'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS',
    codec: orNothing(measurementInput(limits)),
    body: {
      name: 'MeasurementInput',
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

/** An empty body is `undefined`, which is no JSON value. */
const orNothing = (measurement: Codec<MeasurementInput>): Codec<MeasurementInput | undefined> =>
  codec(measurement.name, measurement.schema, (input, context) =>
    input === undefined ? t.success(undefined) : measurement.validate(input, context),
  );
