import { fc } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { decode, isRecord, type Codec, type JsonSchema } from '../../workflows/domain/codecs';

/** Longer texts and arrays than these are a matter for tests of bounds. */
const LONGEST_TEXT = 24;
const MOST_ITEMS = 5;

/** Any value that `schema` tells of, as JSON brings it: finite numbers without -0, any text, any order of properties. */
export const fromSchema = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...schema['enum']);
  switch (schema['type']) {
    case 'boolean':
      return fc.boolean();
    case 'number':
      return numbers(schema);
    case 'integer':
      return fc.nat();
    case 'string':
      return texts(schema);
    case 'array':
      return fc.array(fromSchema(schemaIn(schema, 'items')), {
        maxLength: Math.min(limit(schema, 'maxItems'), MOST_ITEMS),
      });
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
  inputs.map((input) => {
    const decoded = decode(codec, input);
    if (E.isLeft(decoded)) throw new Error(`${JSON.stringify(input)} is refused: ${JSON.stringify(decoded.left)}`);
    return decoded.right;
  });

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

const limit = (schema: JsonSchema, name: string): number =>
  typeof schema[name] === 'number' ? schema[name] : Infinity;

const numbers = (schema: JsonSchema): fc.Arbitrary<number> => {
  const open = typeof schema['exclusiveMinimum'] === 'number';
  const least = open || typeof schema['minimum'] === 'number' ? 0 : -Number.MAX_VALUE;
  const any = fc.double({ min: least, minExcluded: open, max: Number.MAX_VALUE, noNaN: true });
  const round = fc.integer({ min: open ? 1 : Math.max(least, -50), max: 50 });
  return fc.oneof(round, any).map((value) => (value === 0 ? 0 : value));
};

const texts = (schema: JsonSchema): fc.Arbitrary<string> => {
  switch (schema['format']) {
    case 'uuid':
      return fc.oneof(
        fc.uuid(),
        fc.uuid().map((uuid) => uuid.toUpperCase()),
      );
    case 'date-time':
      return instants;
    case 'json-pointer':
      return fc
        .array(fc.string().map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`))
        .map((tokens) => tokens.join(''));
    default: {
      const [shortest, longest] = [Number(schema['minLength'] ?? 0), limit(schema, 'maxLength')];
      const bounds = { minLength: shortest, maxLength: Math.min(longest, LONGEST_TEXT) };
      return fc
        .oneof(fc.string(bounds), fc.string({ ...bounds, unit: 'binary' }))
        .filter(({ length }) => length <= longest);
    }
  }
};

/** Date-times in zones of every kind; two of one moment may be written differently. */
const instants = fc
  .record({
    epochMs: fc.oneof(fc.integer({ min: 2e8, max: 2e8 + 5_000 }), fc.integer({ min: 2e8, max: 4e12 })),
    zoneMinutes: fc.integer({ min: -1_439, max: 1_439 }),
    inUtc: fc.boolean(),
  })
  .map(({ epochMs, zoneMinutes, inUtc }) => {
    if (inUtc) return new Date(epochMs).toISOString();
    const local = new Date(epochMs + zoneMinutes * 60_000).toISOString().slice(0, -1);
    const [hours, minutes] = [Math.trunc(Math.abs(zoneMinutes) / 60), Math.abs(zoneMinutes) % 60];
    return `${local}${zoneMinutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
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
