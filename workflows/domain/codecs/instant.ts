import * as t from 'io-ts';
import { codec, fault, type Codec } from './codec';

/** A day that there is in the calendar: 0000 is a leap year, as every fourth century is. Digits are ASCII in every dialect. */
const DATE =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';

/** The groups are fraction, sign, hours and minutes of the zone. Without flags, as a JSON Schema has it. */
const PATTERN =
  `^${DATE}` +
  '[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.(\\d{1,9}))?' +
  '(?:[Zz]|([+-])([01]\\d|2[0-3])(?::?([0-5]\\d))?)$';
const INSTANT = new RegExp(PATTERN, 'u');

/**
 * A date-time by ISO 8601 with a zone designator: `Z`, `+hh:mm`, `+hhmm` or `+hh`; kept as it was written.
 *
 * Its schema names no format: `date-time` is that of RFC 3339, which knows only the first two.
 */
export const instant: Codec<string> = codec(
  'date-time',
  {
    type: 'string',
    pattern: PATTERN,
    description: 'ISO 8601 with a zone designator: `Z`, `+hh:mm`, `+hhmm` or `+hh`; up to nine digits of a second.',
  },
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
  const [, fraction = '', sign = '+', hours = '0', minutes = '0'] = INSTANT.exec(dateTime) ?? [];
  const eastMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const epochMs = Date.parse(`${dateTime.slice(0, 10)}T${dateTime.slice(11, 19)}Z`) - eastMinutes * 60_000;
  return BigInt(epochMs) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
};

const isInstant = (input: unknown): input is string => typeof input === 'string' && INSTANT.test(input);
