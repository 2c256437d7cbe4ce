import { fromText, withSchemaNotes, scalar, type Codec } from './codec';
import { USER_ID_LENGTH } from '../limits';

type Bounds = { readonly [Bound in 'minimum' | 'exclusiveMinimum']?: number };

/**
 * A finite number. `1e999` is refused, because JSON reads it as infinite. -0 becomes 0: JSON can read -0 but always writes 0,
 * and callers shall read back the number that is kept.
 */
const number = (name: string, bounds: Bounds, reason: string): Codec<number> => {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity } = bounds;
  const isWithin = (input: unknown): input is number =>
    typeof input === 'number' && input >= minimum && input > exclusiveMinimum && Number.isFinite(input);
  return scalar(
    name,
    { type: 'number', format: 'double', ...bounds },
    (input) => (isWithin(input) ? input + 0 : undefined),
    reason,
  );
};

export const finite = number('number', {}, 'must be a finite number');
export const positive = number('positive number', { exclusiveMinimum: 0 }, 'must be a finite number greater than 0');
export const notNegative = number('number from 0', { minimum: 0 }, 'must be a finite number, 0 or greater');

export const wholeNumber: Codec<number> = scalar(
  'whole number',
  { type: 'integer', format: 'int64', minimum: 0 },
  (input) => (Number.isSafeInteger(input) && Number(input) >= 0 ? Number(input) : undefined),
  'must be an integer from 0',
);

export const flag: Codec<boolean> = scalar(
  'boolean',
  { type: 'boolean' },
  (input) => (typeof input === 'boolean' ? input : undefined),
  'must be true or false',
);

export const oneOf = <const A extends string | number>(name: string, members: ReadonlyArray<A>): Codec<A> =>
  scalar(
    name,
    { title: name, type: typeof members[0] === 'number' ? 'integer' : 'string', enum: members },
    (input) => members.find((member) => member === input),
    `must be one of ${members.join(', ')}`,
  );

/** One of the numbers in `members`. Generated clients know the numbers by the names in `members`. */
export const named = <const A extends number>(name: string, members: Readonly<Record<string, A>>): Codec<A> =>
  withSchemaNotes(oneOf(name, Object.values(members)), { 'x-enum-varnames': Object.keys(members) });

/** Text of `shortest` to `longest` characters: code points, as in JSON Schema, each of one or two UTF-16 units. */
export const text = (longest: number, shortest = 0): Codec<string> =>
  fromText(
    'text',
    { ...(shortest > 0 && { minLength: shortest }), maxLength: longest },
    (input) => (input.length >= shortest && hasAtMost(longest, input) ? input : undefined),
    `must be text of ${shortest > 0 ? `${shortest} to ${longest}` : `at most ${longest}`} characters`,
  );

const hasAtMost = (longest: number, input: string): boolean =>
  input.length <= longest || (input.length <= 2 * longest && Array.from(input).length <= longest);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;
export const isUuid = (text: string): boolean => UUID.test(text);

/** A UUID of any version and either case: every text of 8-4-4-4-12 hex digits. It is kept in lower case. */
export const uuid: Codec<string> = fromText(
  'UUID',
  { format: 'uuid' },
  (input) => (isUuid(input) ? input.toLowerCase() : undefined),
  'must be a UUID',
);

/** Pattern of a day in the calendar. The year 0000 is a leap year, as 2000 is. `[0-9]` is ASCII in every dialect. */
const DATE =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';

/** Groups: date with hour and minute, second, fraction; sign, hours, minutes of the zone. `[Tt]`: JSON Schema has no flags. */
const PATTERN =
  `^(${DATE}[Tt](?:[01]\\d|2[0-3]):[0-5]\\d)` +
  '(?::([0-5]\\d)(?:[.,](\\d{1,9}))?)?' +
  '(?:[Zz]|([+-])([01]\\d|2[0-3])(?::?([0-5]\\d))?)$';
const INSTANT = new RegExp(PATTERN, 'u');

export const INSTANT_FORMS =
  'ISO 8601 with a zone: `Z`, `+hh:mm`, `+hhmm` or `+hh`; up to nine digits of a second after a point or a comma; the seconds may be left out.';

/** A date-time in one of `INSTANT_FORMS`, kept as written. The format `date-time` (RFC 3339) would be too narrow a schema. */
export const instant: Codec<string> = fromText(
  'date-time',
  { pattern: PATTERN, description: INSTANT_FORMS },
  (input) => (INSTANT.test(input) ? input : undefined),
  'must be an ISO 8601 date-time with a time zone, such as 2026-01-31T10:00:00.000Z',
);

/** Nanoseconds since 1970 in UTC of an `instant`, exactly. Errors: throws for a text that `instant` refuses. */
export const epochNanosOf = (dateTime: string): bigint => {
  const { epochMs, fraction } = secondOf(dateTime);
  return BigInt(epochMs) * 1_000_000n + BigInt(fraction);
};

/** Whole milliseconds since 1970 in UTC of an `instant`, rounded down. Errors: those of `epochNanosOf`. */
export const epochMsOf = (dateTime: string): number => {
  const { epochMs, fraction } = secondOf(dateTime);
  return epochMs + Number(fraction.slice(0, 3));
};

/** When the second of a date-time begins (epoch ms), and the nine digits of the second's fraction. */
const secondOf = (dateTime: string): { readonly epochMs: number; readonly fraction: string } => {
  const groups = INSTANT.exec(dateTime);
  if (groups === null) throw new RangeError('no date-time'); // checked first: `Date.parse` accepts almost anything
  const [, minute = '', second = '00', fraction = '', sign = '+', zoneHours = '0', zoneMinutes = '0'] = groups;
  const eastMinutes = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  return {
    epochMs: Date.parse(`${minute.toUpperCase()}:${second}Z`) - eastMinutes * 60_000,
    fraction: fraction.padEnd(9, '0'),
  };
};

const PRINTABLE = /^\P{C}+$/u;

/** The id of a caller: 1 to `USER_ID_LENGTH` printable characters. */
export const UserId: Codec<string> = fromText(
  'user id',
  { minLength: 1, maxLength: USER_ID_LENGTH },
  (input) => (input.length <= USER_ID_LENGTH && PRINTABLE.test(input) ? input : undefined),
  `must be text of 1 to ${USER_ID_LENGTH} printable characters`,
);
