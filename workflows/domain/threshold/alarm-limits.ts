import { described, finite, object, refine, text, type Codec, type Reason, type TypeOf } from '../codecs';
import { UNIT_LENGTH } from '../limits';
import { ALERT, DANGER, GOOD, type Status } from '../alarm/status';

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

/** The names of the four limits, from the lowest to the highest, as they must rise. */
export const limitNames = ['outerLow', 'innerLow', 'innerHigh', 'outerHigh'] as const;

/** Limits that rise: outerLow <= innerLow <= innerHigh <= outerHigh, among those given. */
export const AlarmLimits: Codec<AlarmLimits> = refine(shape, (limits) => {
  const given = limitNames.flatMap((name) => (limits[name] === undefined ? [] : [{ name, value: limits[name] }]));
  return given.flatMap(({ name, value }, index): ReadonlyArray<Reason> => {
    const lower = given[index - 1];
    return lower === undefined || lower.value <= value
      ? []
      : [{ name, reason: `must not be below ${lower.name} (${lower.value})` }];
  });
});

/** The limits of a band or a HAL as they are compared with its value. */
export interface UpperLimits {
  readonly upperAlert?: number;
  readonly upperDanger?: number;
}

/**
 * Whether a value reaches a limit, one of which was computed: as decimals of twelve significant digits.
 *
 * Binary products and sums miss the decimal that is meant: 3 x 0.1 is 0.30000000000000004, which a value of 0.3 reaches.
 */
export const reaches = (value: number, limit: number): boolean => decimal(value) >= decimal(limit);

const decimal = (value: number): number => Number(value.toPrecision(12));

/** The limit that `value` reaches, the worse one first. */
export const reachedLimit = (
  value: number,
  { upperAlert = Infinity, upperDanger = Infinity }: UpperLimits,
): { readonly name: keyof UpperLimits; readonly value: number } | undefined => {
  if (reaches(value, upperDanger)) return { name: 'upperDanger', value: upperDanger };
  return reaches(value, upperAlert) ? { name: 'upperAlert', value: upperAlert } : undefined;
};

/** The status of `value` by upper limits. */
export const rateUpper = (value: number, limits: UpperLimits): Status => {
  switch (reachedLimit(value, limits)?.name) {
    case 'upperDanger':
      return DANGER;
    case 'upperAlert':
      return ALERT;
    case undefined:
      return GOOD;
  }
};

/**
 * Why limits that fall from alert to danger are refused: a reason for `name`.
 *
 * `given` is the value of the danger limit as it was written, where it is not the one that is compared.
 */
export const fallingLimits = (
  name: string,
  { upperAlert = -Infinity, upperDanger = Infinity }: UpperLimits,
  given: number = upperDanger,
): ReadonlyArray<Reason> => {
  if (reaches(upperDanger, upperAlert)) return [];
  const product = given === upperDanger ? '' : `, it comes to ${decimal(upperDanger)}`;
  return [{ name, reason: `must not be below upperAlert (${decimal(upperAlert)})${product}` }];
};
