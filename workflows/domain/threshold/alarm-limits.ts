import * as c from '../codecs';
import { UNIT_LENGTH } from '../limits';
import { ALERT, DANGER, GOOD, type Status } from '../alarm/status';

/** The four limits of an overall or a rate-of-change alarm. Each one may be left out, and a limit may be 0. */
const shape = c.partial('AlarmLimits', {
  unit: c.described(c.text(UNIT_LENGTH), 'The unit of the limits: a label, nothing is converted.'),
  outerHigh: c.described(
    c.finite,
    'The upper outer limit, in `unit`; not below `innerHigh`. Absent: infinity. For `thresholdType` 2 DANGER begins here only with `OVERALL_REGIONS=alert-band`, or without `innerHigh`; by default a value above `innerHigh` is DANGER.',
  ),
  innerHigh: c.described(
    c.finite,
    'The upper inner limit, in `unit`; not below `innerLow`. Absent: as `outerHigh`. For `thresholdType` 2 a value above it is DANGER by default, and ALERT exactly on it; with `OVERALL_REGIONS=alert-band` it is ALERT below `outerHigh`.',
  ),
  innerLow: c.described(c.finite, 'The lower inner limit, in `unit`; not below `outerLow`. Absent: as `outerLow`.'),
  outerLow: c.described(c.finite, 'The lower outer limit, in `unit`. Absent: minus infinity.'),
});

export type AlarmLimits = c.TypeOf<typeof shape>;

/** The names of the four limits, from the lowest to the highest. */
export const limitNames = ['outerLow', 'innerLow', 'innerHigh', 'outerHigh'] as const;

/** The codec of limits that rise: outerLow <= innerLow <= innerHigh <= outerHigh, as far as they are given. */
export const AlarmLimits: c.Codec<AlarmLimits> = c.refine(shape, (limits) => {
  const given = limitNames.flatMap((name) => (limits[name] === undefined ? [] : [{ name, value: limits[name] }]));
  return given.flatMap(({ name, value }, index) => {
    const lower = given[index - 1] ?? { name, value };
    return c.reasonIf(lower.value > value, name, `must not be below ${lower.name} (${lower.value})`);
  });
});

/** The limits of a band or a HAL as they are compared with its value. */
export interface UpperLimits {
  readonly upperAlert?: number;
  readonly upperDanger?: number;
}

/** Whether `value` reaches `limit`, both rounded to 12 digits (docs/contributing/decisions.md, "Decimal comparison"). */
export const reachesLimit = (value: number, limit: number): boolean => decimal(value) >= decimal(limit);

const decimal = (value: number): number => Number(value.toPrecision(12));

/** The worst limit that `value` reaches; undefined if it reaches none. */
export const reachedLimit = (
  value: number,
  { upperAlert = Infinity, upperDanger = Infinity }: UpperLimits,
): { readonly name: keyof UpperLimits; readonly value: number } | undefined => {
  if (reachesLimit(value, upperDanger)) return { name: 'upperDanger', value: upperDanger };
  return reachesLimit(value, upperAlert) ? { name: 'upperAlert', value: upperAlert } : undefined;
};

export const rateUpper = (value: number, limits: UpperLimits): Status => {
  const reached = reachedLimit(value, limits);
  return reached === undefined ? GOOD : degrees[reached.name];
};

const degrees = { upperAlert: ALERT, upperDanger: DANGER } as const;

/** The fault of `name` if the danger limit is below the alert limit. `given` is the danger limit as the caller wrote it. */
export const fallingLimits = (
  name: string,
  { upperAlert = -Infinity, upperDanger = Infinity }: UpperLimits,
  given: number = upperDanger,
): c.Reasons => {
  const product = given === upperDanger ? '' : `, it comes to ${decimal(upperDanger)}`;
  const falls = !reachesLimit(upperDanger, upperAlert);
  return c.reasonIf(falls, name, `must not be below upperAlert (${decimal(upperAlert)})${product}`);
};
