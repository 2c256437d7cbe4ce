import { fc } from '@fast-check/vitest';
import { instant, isRecord, type Codec, type JsonSchema } from '../../../workflows/domain/codecs';
import { decoded } from '../reasons-of';

/** The length up to which most texts and arrays go; one in `1 + MOSTLY` lies at a bound of its schema. */
const LONGEST_TEXT = 24;
const MOST_ITEMS = 5;
const MOSTLY = 7;

/** Lists that may be longer are bounded by their bytes, not by their items. */
const LONGEST_LIST = 1_000;

/** Any value that `schema` tells of, as JSON brings it: finite numbers, any text, any order of properties; bounds included. */
export const fromSchema = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...schema['enum']);
  switch (schema['type']) {
    case 'boolean':
      return fc.boolean();
    case 'number':
      return numbers(schema);
    case 'integer':
      return mostly(fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER));
    case 'string':
      return texts(schema);
    case 'array':
      return lists(fromSchema(schemaIn(schema, 'items')), limit(schema, 'maxItems'));
    case 'object':
      return objects(schema);
    default:
      return anyJson;
  }
};

/** Any value of `codec`, which must have no rules that its schema cannot tell: a value that it refuses is an error. */
export const ofCodec = <A>(codec: Codec<A>): fc.Arbitrary<A> => decodedBy(codec, fromSchema(codec.schema));

/** What `codec` makes of `inputs`, all of which it must accept. */
export const decodedBy = <A>(codec: Codec<A>, inputs: fc.Arbitrary<unknown>): fc.Arbitrary<A> =>
  inputs.map((input) => decoded(codec, input));

/** The schema of the property `name` of an object's `schema`. */
export const propertyIn = (schema: JsonSchema, name: string): JsonSchema =>
  schemaIn(schemaIn(schema, 'properties'), name);

const schemaIn = (schema: JsonSchema, name: string): JsonSchema => {
  const found = schema[name];
  if (!isRecord(found)) throw new Error(`${JSON.stringify(schema)} has no ${name}`);
  return found;
};

/** Any JSON value, as JSON.parse makes it of what JSON.stringify wrote: plain objects, no -0. */
export const anyJson = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));

/** Lists of up to `most` items; a full one repeats a few items, so that it costs no more to draw than a short one. */
export const lists = <A>(item: fc.Arbitrary<A>, most: number): fc.Arbitrary<A[]> => {
  const some = fc.array(item, { maxLength: Math.min(most, MOST_ITEMS) });
  return most > LONGEST_LIST
    ? some
    : mostly(
        some,
        fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => repeated(items, most)),
        2 * MOSTLY,
      );
};

/** `length` items: those of `items`, again and again. */
export const repeated = <A>(items: ReadonlyArray<A>, length: number): A[] =>
  Array.from({ length: Math.ceil(length / items.length) }, () => items)
    .flat()
    .slice(0, length);

/** Mostly `usual`, and now and then what lies `atBounds`. */
export const mostly = <A>(usual: fc.Arbitrary<A>, atBounds: fc.Arbitrary<A>, weight = MOSTLY): fc.Arbitrary<A> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: atBounds });

const limit = (schema: JsonSchema, name: string): number =>
  typeof schema[name] === 'number' ? schema[name] : Infinity;

const numbers = (schema: JsonSchema): fc.Arbitrary<number> => {
  const open = typeof schema['exclusiveMinimum'] === 'number';
  const least = open || typeof schema['minimum'] === 'number' ? 0 : -Number.MAX_VALUE;
  const any = fc.double({ min: least, minExcluded: open, max: Number.MAX_VALUE, noNaN: true });
  const round = fc.integer({ min: open ? 1 : Math.max(least, -50), max: 50 });
  const positive = [Number.MIN_VALUE, Number.MAX_VALUE];
  const bounds = open
    ? positive
    : least === 0
      ? [0, -0, ...positive]
      : [0, -0, ...positive, -5e-324, -Number.MAX_VALUE];
  return mostly(fc.oneof(round, any), fc.constantFrom(...bounds));
};

const texts = (schema: JsonSchema): fc.Arbitrary<string> => {
  if (schema['pattern'] === instant.schema['pattern']) return instants.map(({ text }) => text);
  switch (schema['format']) {
    case 'uuid':
      return fc.oneof(
        fc.uuid(),
        fc.uuid().map((uuid) => uuid.toUpperCase()),
      );
    case 'json-pointer':
      return fc
        .array(fc.string().map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`))
        .map((tokens) => tokens.join(''));
    default: {
      const [shortest, longest] = [Number(schema['minLength'] ?? 0), limit(schema, 'maxLength')];
      const bounds = { minLength: shortest, maxLength: Math.min(longest, LONGEST_TEXT) };
      const usual = fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: 'binary' }));
      return longest === Infinity ? usual : mostly(usual, textsAtBounds(shortest, longest));
    }
  }
};

/** As JSON in UTF-8 these take one, six, two, three and four bytes. */
const characters = ['x', '\u0001', 'é', '名', '😀'];

/** Texts of just `shortest` or `longest` characters of any size. */
const textsAtBounds = (shortest: number, longest: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...characters), fc.constantFrom(shortest, longest, longest))
    .map(([character, length]) => character.repeat(length));

const NANOS_OF_MS = 1_000_000n;
const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** The zone designators that stand for `minutes` east of UTC. */
const zonesOf = (minutes: number): ReadonlyArray<string> => {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return (minutes === 0 ? ['+', '-'] : minutes < 0 ? ['-'] : ['+'])
    .map((sign) => `${sign}${twoDigits(hours)}`)
    .flatMap((hour) => [`${hour}:${twoDigits(rest)}`, `${hour}${twoDigits(rest)}`, ...(rest === 0 ? [hour] : [])])
    .concat(minutes === 0 ? ['Z', 'z'] : []);
};

/**
 * Date-times with up to nine digits of a second in zones of every kind and spelling, and the moments that they name. Those of a
 * whole minute often leave the seconds out.
 */
export const instants: fc.Arbitrary<{ readonly text: string; readonly epochNanos: bigint }> = fc
  .record({
    epochMs: fc.oneof(
      fc.integer({ min: 2e8, max: 2e8 + 3 }),
      fc.integer({ min: -4e12, max: 4e12 }),
      fc.integer({ min: -6e7, max: 6e7 }).map((minute) => minute * 60_000),
    ),
    nanos: fc.oneof(fc.constantFrom(0, 1, 999_999), fc.nat(999_999)),
    digits: fc.integer({ min: 0, max: 9 }),
    zoneMinutes: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -23, max: 23 }).map((hours) => hours * 60),
      fc.integer({ min: -1_439, max: 1_439 }),
    ),
    spelling: fc.nat(7),
    mark: fc.constantFrom('.', ','),
    leavesOut: fc.boolean(),
  })
  .map(({ epochMs, nanos, digits, zoneMinutes, spelling, mark, leavesOut }) => {
    const local = new Date(epochMs + zoneMinutes * 60_000).toISOString().slice(0, -1);
    const [whole = '', ms = ''] = local.split('.');
    const fraction = `${ms}${String(nanos).padStart(6, '0')}`.slice(0, digits);
    const zones = zonesOf(zoneMinutes);
    const left = BigInt(`${ms}${String(nanos).padStart(6, '0')}`) - BigInt(fraction.padEnd(9, '0'));
    const shown = leavesOut && fraction === '' ? whole.replace(/:00$/u, '') : whole;
    return {
      text: `${shown}${fraction === '' ? '' : `${mark}${fraction}`}${zones[spelling % zones.length] ?? ''}`,
      epochNanos: BigInt(epochMs) * NANOS_OF_MS + BigInt(nanos) - left,
    };
  });

const objects = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (schema['additionalProperties'] === true)
    return fc.dictionary(fc.string(), anyJson, { maxKeys: 4, noNullPrototype: true });
  const properties = Object.keys(schemaIn(schema, 'properties'));
  const required: ReadonlyArray<unknown> = Array.isArray(schema['required']) ? schema['required'] : [];
  return fc.record(Object.fromEntries(properties.map((name) => [name, fromSchema(propertyIn(schema, name))])), {
    requiredKeys: properties.filter((name) => required.includes(name)),
    noNullPrototype: true,
  });
};
