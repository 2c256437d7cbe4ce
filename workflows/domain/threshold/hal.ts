import { finite, object, oneOf, refine, text, type Codec, type TypeOf } from '../codecs';
import type { Limits } from '../limits';

const bearing = (limits: Limits) =>
  object('bearing', { manufacturer: text(limits.textLength), modelNumber: text(limits.textLength) }, {});

const shape = (limits: Limits) =>
  object(
    'HAL alarm',
    { label: text(limits.textLength) },
    {
      halAlarmType: oneOf('HAL alarm type', ['GLOBAL', 'FREQUENCY']),
      bearing: bearing(limits),
      upperAlert: finite,
      upperDanger: finite,
    },
  );

export type Hal = TypeOf<ReturnType<typeof shape>>;

/** A harmonic alarm: its label and bearing name the fault, the limits are ratios and have no unit. */
export const hal = (limits: Limits): Codec<Hal> =>
  refine(shape(limits), ({ upperAlert, upperDanger }) =>
    upperAlert !== undefined && upperDanger !== undefined && upperAlert > upperDanger
      ? [{ name: 'upperDanger', reason: `must not be below upperAlert (${upperAlert})` }]
      : [],
  );
