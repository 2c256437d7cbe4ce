import * as c from '../codecs';
import type { Limits } from '../limits';
import { fallingLimits } from './alarm-limits';

const bearing = (limits: Limits) =>
  c.object('Bearing', {
    manufacturer: c.described(c.text(limits.textLength), 'The maker, such as `SKF`; case and blanks do not count.'),
    modelNumber: c.described(
      c.text(limits.textLength),
      'The designation, such as `6205-2RS`; docs/bearings.md lists those known.',
    ),
  });

const shape = (limits: Limits) =>
  c.object(
    'HalAlarm',
    {
      label: c.described(
        c.text(limits.textLength),
        'What repeats: `BPFO`, `BPFI`, `BSF` or `FTF` of the bearing, or a multiple such as `12 TOOTH` or `10x RPM`.',
      ),
    },
    {
      halAlarmType: c.described(
        c.oneOf('HalAlarmType', ['GLOBAL', 'FREQUENCY'] as const),
        'FREQUENCY, also when absent: the fault that the label names. GLOBAL: the fault of the bearing that stands out most; without a bearing the shaft speed.',
      ),
      bearing: c.described(bearing(limits), 'The bearing whose fault frequencies are meant.'),
      upperAlert: c.described(c.finite, 'From this HAL index on ALERT: a ratio, without a unit.'),
      upperDanger: c.described(
        c.finite,
        'From this HAL index on DANGER: a ratio, without a unit; not below `upperAlert`.',
      ),
    },
  );

export type Hal = c.TypeOf<ReturnType<typeof shape>>;

/** A harmonic alarm: its label and bearing name the fault, the limits are ratios and have no unit. */
export const hal = (limits: Limits): c.Codec<Hal> =>
  c.refine(shape(limits), (given) => fallingLimits('upperDanger', given));
