import { fc } from '@fast-check/vitest';
import { instant, type JsonSchema } from '../../../workflows/domain/codecs';
import { instants } from '../arbitraries/from-schema';

const odd: ReadonlyArray<unknown> = [
  null, true, 0, -0, -1, 1e308, 5e-324, 2 ** 53, '', '0', ' ', '\0', '\ud800', '__proto__', 'constructor', 'toString',
  [], {}, [[]], [null], { length: 1 }, { toString: 1 }, 'x'.repeat(2_000), '2026-13-01T00:00:00Z', '/overall/-', '~',
]; // prettier-ignore

const oddNames = ['__proto__', 'constructor', 'hasOwnProperty', 'length', '', 'status', 'nodeId', 'value', '0'];

/** A value of `schema`, mostly; somewhere in it may be one that is not. */
export const hostileValue = (schema: JsonSchema, levels = 6): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: levels > 0 ? fitting(schema, levels) : fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );

const fitting = (schema: JsonSchema, levels: number): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as ReadonlyArray<unknown>));
  switch (schema['type']) {
    case 'object':
      return fittingObject(schema, levels);
    case 'array':
      return fc.array(hostileValue(schemaIn(schema['items']), levels - 1), { maxLength: 5 });
    case 'number':
    case 'integer':
      return fc.oneof(fc.integer({ min: -5, max: 20 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fittingText(schema);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
};

const fittingText = ({ format, pattern }: JsonSchema): fc.Arbitrary<string> => {
  if (pattern === instant.schema['pattern']) return instants.map(({ text }) => text);
  if (format === 'uuid') return fc.uuid();
  if (format === 'json-pointer') {
    return fc.constantFrom(
      '',
      '/overall',
      '/overall/innerHigh',
      '/nodeId',
      '/bandAlarms/-',
      '/bandAlarms/0',
      '/a~1b',
      '/',
    );
  }
  return fc.string({ maxLength: 30, unit: 'binary' });
};

const fittingObject = (schema: JsonSchema, levels: number): fc.Arbitrary<unknown> => {
  const properties = Object.entries(schemaIn(schema['properties']));
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = properties.map(([name, of]) =>
    fc.option(hostileValue(schemaIn(of), levels - 1), { freq: required.includes(name) ? 20 : 1, nil: undefined }),
  );
  const stranger = fc.option(fc.tuple(fc.constantFrom(...oddNames), fc.constantFrom(...odd)), {
    freq: 1,
    nil: undefined,
  });
  return fc.tuple(fc.tuple(...members), stranger).map(([values, extra]) => {
    const given = properties.map(([name], index): [string, unknown] => [name, values[index]]);
    return Object.fromEntries(
      [...given, ...(extra === undefined ? [] : [extra])].filter(([, value]) => value !== undefined),
    );
  });
};

const schemaIn = (schema: unknown): JsonSchema => (typeof schema === 'object' && schema !== null ? { ...schema } : {});

/** JSON text of `value`, or something near it. */
export const hostileText = (value: unknown): fc.Arbitrary<Buffer> => {
  const text = JSON.stringify(value);
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant(Buffer.from(text)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(text.replace(/\d+/u, '1e999'))) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(text.replace(/\{"/u, '{"nodeId":1,"nodeId":2,"'))) },
    { weight: 1, arbitrary: fc.nat(text.length).map((length) => Buffer.from(text.slice(0, length))) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(1, 70, 5_000).map((levels) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(`\uFEFF${text}`, 'utf16le')) },
  );
};
