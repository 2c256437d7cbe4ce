import * as t from 'io-ts';
import { codec, fault, type Codec } from './codec';

/** A day that there is in the calendar: 0000 is a leap year, as every fourth century is. Digits are ASCII in every dialect. */
const DATE =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';

/** The groups are minute, second, fraction, sign, hours and minutes of the zone. Without flags, as a JSON Schema has it. */
const PATTERN =
  `^(${DATE}[Tt](?:[01]\\d|2[0-3]):[0-5]\\d)` +
  '(?::([0-5]\\d)(?:[.,](\\d{1,9}))?)?' +
  '(?:[Zz]|([+-])([01]\\d|2[0-3])(?::?([0-5]\\d))?)$';
const INSTANT = new RegExp(PATTERN, 'u');

/** The forms that `instant` takes, for the documents. */
export const INSTANT_FORMS =
  'ISO 8601 with a zone: `Z`, `+hh:mm`, `+hhmm` or `+hh`; up to nine digits of a second after a point or a comma; the seconds may be left out.';

/**
 * A date-time by ISO 8601 with a zone designator, in the forms above; kept as it was written.
 *
 * Its schema names no format: `date-time` is that of RFC 3339, which knows fewer of them.
 */
export const instant: Codec<string> = codec(
  'date-time',
  { type: 'string', pattern: PATTERN, description: INSTANT_FORMS },
  (input, context) =>
    isInstant(input)
      ? t.success(input)
      : t.failures([
          fault(input, context, 'must be an ISO 8601 date-time with a time zone, such as 2026-01-31T10:00:00.000Z'),
        ]),
);

/**
 * Nanoseconds since 1970 in UTC of an `instant`, exactly: doubles would blur what is closer than 0.3 µs.
 *
 * Errors: throws for a text that `instant` refuses.
 */
export const epochNanosOf = (dateTime: string): bigint => {
  const { epochMs, fraction } = secondOf(dateTime);
  return BigInt(epochMs) * 1_000_000n + BigInt(fraction);
};

/** Whole milliseconds since 1970 in UTC of an `instant`, rounded down. Errors: those of `epochNanosOf`. */
export const epochMsOf = (dateTime: string): number => {
  const { epochMs, fraction } = secondOf(dateTime);
  return epochMs + Number(fraction.slice(0, 3));
};

/** The beginning of the second, and the nine digits of its fraction. */
const secondOf = (dateTime: string): { readonly epochMs: number; readonly fraction: string } => {
  const groups = INSTANT.exec(dateTime);
  if (groups === null) throw new RangeError('no date-time'); // `Date.parse` finds one in almost anything
  const [, minute = '', second = '00', fraction = '', sign = '+', zoneHours = '0', zoneMinutes = '0'] = groups;
  const eastMinutes = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  return {
    epochMs: Date.parse(`${minute.toUpperCase()}:${second}Z`) - eastMinutes * 60_000,
    fraction: fraction.padEnd(9, '0'),
  };
};

const isInstant = (input: unknown): input is string => typeof input === 'string' && INSTANT.test(input);
