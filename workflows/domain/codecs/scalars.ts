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

/** Numbers that `accepts` takes. JSON may bring -0 and never writes it: it is 0, so that what is kept is what comes back. */
const number = (name: string, bounds: JsonSchema, accepts: (input: number) => boolean, reason: string): Codec<number> =>
  codec(name, { type: 'number', ...bounds }, (input, context) =>
    typeof input === 'number' && Number.isFinite(input) && accepts(input)
      ? t.success(input === 0 ? 0 : input)
      : t.failures([fault(input, context, reason)]),
  );

/** A finite number: `1e999`, which JSON reads as infinite, is none. */
export const finite = number('number', {}, () => true, 'must be a finite number');

/** A finite number greater than 0. */
export const positive = number(
  'positive number',
  { exclusiveMinimum: 0 },
  (input) => input > 0,
  'must be a finite number greater than 0',
);

/** Whether `input` is what `notNegative` takes. */
export const isNotNegative = (input: unknown): input is number =>
  typeof input === 'number' && input >= 0 && Number.isFinite(input);

/** A finite number, 0 or greater. */
export const notNegative = number(
  'number from 0',
  { minimum: 0 },
  isNotNegative,
  'must be a finite number, 0 or greater',
);

/** An integer from 0 that a double holds exactly. */
export const wholeNumber: Codec<number> = scalar(
  'whole number',
  { type: 'integer', minimum: 0 },
  (input): input is number => Number.isSafeInteger(input) && (input as number) >= 0,
  'must be an integer from 0',
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

/** Text of `shortest` to `longest` characters: code points, as JSON Schema counts them. */
export const text = (longest: number, shortest = 0): Codec<string> =>
  scalar(
    'text',
    { type: 'string', ...(shortest > 0 && { minLength: shortest }), maxLength: longest },
    (input): input is string => typeof input === 'string' && input.length >= shortest && hasAtMost(longest, input),
    `must be text of ${shortest > 0 ? `${shortest} to ${longest}` : `at most ${longest}`} characters`,
  );

/** A character is one UTF-16 unit or two, so few texts are counted. */
const hasAtMost = (longest: number, input: string): boolean =>
  input.length <= longest || (input.length <= 2 * longest && Array.from(input).length <= longest);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** A UUID of any version and either case, kept in lower case (contract: every UUID text of 8-4-4-4-12 digits). */
export const uuid: Codec<string> = codec('UUID', { type: 'string', format: 'uuid' }, (input, context) =>
  typeof input === 'string' && UUID.test(input)
    ? t.success(input.toLowerCase())
    : t.failures([fault(input, context, 'must be a UUID')]),
);
