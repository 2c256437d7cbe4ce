import { described, finite, object, refine, text, type Codec, type Reason, type TypeOf } from '../codecs';
import { UNIT_LENGTH } from '../limits';

/** The four limits of an overall or a rate-of-change alarm; each may be left out, and 0 is a limit. */
const shape = object(
  'alarm limits',
  {},
  {
    unit: described(text(UNIT_LENGTH), 'The unit of the limits: a label, nothing is converted.'),
    outerHigh: described(finite, 'The upper outer limit, in `unit`; not below `innerHigh`. Absent: infinity.'),
    innerHigh: described(finite, 'The upper inner limit, in `unit`; not below `innerLow`. Absent: as `outerHigh`.'),
    innerLow: described(finite, 'The lower inner limit, in `unit`; not below `outerLow`. Absent: as `outerLow`.'),
    outerLow: described(finite, 'The lower outer limit, in `unit`. Absent: minus infinity.'),
  },
);

export type AlarmLimits = TypeOf<typeof shape>;

/** From the lowest to the highest, as they must rise. */
const rising = ['outerLow', 'innerLow', 'innerHigh', 'outerHigh'] as const;

/** Limits that rise: outerLow <= innerLow <= innerHigh <= outerHigh, among those given. */
export const AlarmLimits: Codec<AlarmLimits> = refine(shape, (limits) => {
  const given = rising.flatMap((name) => (limits[name] === undefined ? [] : [{ name, value: limits[name] }]));
  return given.flatMap(({ name, value }, index): ReadonlyArray<Reason> => {
    const lower = given[index - 1];
    return lower === undefined || lower.value <= value
      ? []
      : [{ name, reason: `must not be below ${lower.name} (${lower.value})` }];
  });
});
