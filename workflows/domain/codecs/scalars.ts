import * as t from 'io-ts';
import { codec, fault, type Codec, type JsonSchema } from './codec';

const scalar = <A>(
  name: string,
  schema: JsonSchema,
  accepts: (input: unknown) => input is A,
  reason: string,
): Codec<A> =>
  codec(name, schema, (input, context) =>
    accepts(input) ? t.success(input) : t.failures([fault(input, context, reason)]),
  );

/** A finite number: `1e999`, which JSON reads as infinite, is none. */
export const finite: Codec<number> = scalar(
  'number',
  { type: 'number' },
  (input): input is number => Number.isFinite(input),
  'must be a finite number',
);

/** A finite number greater than 0. */
export const positive: Codec<number> = scalar(
  'positive number',
  { type: 'number', exclusiveMinimum: 0 },
  (input): input is number => Number.isFinite(input) && (input as number) > 0,
  'must be a finite number greater than 0',
);

/** A finite number, 0 or greater. */
export const notNegative: Codec<number> = scalar(
  'number from 0',
  { type: 'number', minimum: 0 },
  (input): input is number => Number.isFinite(input) && (input as number) >= 0,
  'must be a finite number, 0 or greater',
);

/** A true or false. */
export const flag: Codec<boolean> = scalar(
  'boolean',
  { type: 'boolean' },
  (input): input is boolean => typeof input === 'boolean',
  'must be true or false',
);

/** One of a few integers or words. */
export const oneOf = <const A extends string | number>(name: string, members: ReadonlyArray<A>): Codec<A> =>
  scalar(
    name,
    { type: typeof members[0] === 'number' ? 'integer' : 'string', enum: members },
    (input): input is A => members.includes(input as A),
    `must be one of ${members.join(', ')}`,
  );

/** Text of `shortest` to `longest` UTF-16 units. */
export const text = (longest: number, shortest = 0): Codec<string> =>
  scalar(
    'text',
    { type: 'string', ...(shortest > 0 && { minLength: shortest }), maxLength: longest },
    (input): input is string => typeof input === 'string' && input.length >= shortest && input.length <= longest,
    `must be text of ${shortest > 0 ? `${shortest} to ${longest}` : `at most ${longest}`} characters`,
  );

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** A UUID of any version and either case, kept in lower case (contract: every UUID text of 8-4-4-4-12 digits). */
export const uuid: Codec<string> = codec('UUID', { type: 'string', format: 'uuid' }, (input, context) =>
  typeof input === 'string' && UUID.test(input)
    ? t.success(input.toLowerCase())
    : t.failures([fault(input, context, 'must be a UUID')]),
);

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/iu;

const isInstant = (input: unknown): input is string => {
  const match = typeof input === 'string' ? INSTANT.exec(input) : null;
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** A date-time by RFC 3339, with a zone; kept as it was written. */
export const instant: Codec<string> = scalar(
  'date-time',
  { type: 'string', format: 'date-time' },
  isInstant,
  'must be an RFC 3339 date-time with a time zone, such as 2026-01-31T10:00:00.000Z',
);
