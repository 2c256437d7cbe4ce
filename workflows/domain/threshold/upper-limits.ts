import { ALERT, DANGER, GOOD, type Status } from '../alarm/status';
import type { Reason } from '../codecs';
import { ABSOLUTE, RELATIVE_FULLSCALE, type BandLimit, type BandLimits } from './band';
import type { AlarmLimits } from './limits';

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

/** What the relative limits of a band are multiplied by. */
interface Bases {
  readonly fullScale?: number;
  readonly overall?: AlarmLimits;
}

/** The limits of a band as they are compared with its value: relative ones times their base. */
export const bandLimits = ({ upperAlert, upperDanger }: BandLimits = {}, bases: Bases): UpperLimits => ({
  ...(upperAlert !== undefined && { upperAlert: limitOf(upperAlert, bases, 'innerHigh') }),
  ...(upperDanger !== undefined && { upperDanger: limitOf(upperDanger, bases, 'outerHigh') }),
});

/** A base that is missing, which the codec of thresholds refuses, counts as 0: the band alarms rather than hide it. */
const limitOf = (
  { value, valueType }: BandLimit,
  { fullScale, overall }: Bases,
  overallLimit: 'innerHigh' | 'outerHigh',
): number => {
  if (valueType === ABSOLUTE) return value;
  const base = valueType === RELATIVE_FULLSCALE ? fullScale : overall?.[overallLimit];
  return value * (base ?? 0);
};
