import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import type { ValidateFunction } from 'ajv';
import { describe, expect } from 'vitest';
import { decode, isRecord, jsonBytes, type Codec } from '../../../../../workflows/domain/codecs';
import { digest } from '../../../../../workflows/domain/digest';
import { amplitudesOf, positionsOf, packLines } from '../../../../../workflows/domain/measurement/packed-lines';
import { storedMeasurement } from '../../../../../workflows/domain/measurement/measurement';
import { commandNames, decodeCommand, type Refusal } from '../../../../../workflows/domain/node/commands';
import { patchOperations } from '../../../../../workflows/domain/threshold/patch';
import { storedThreshold, thresholdView } from '../../../../../workflows/domain/threshold/threshold';
import { fromSchema } from '../../../../support/arbitraries/from-schema';
import { lines, MeasurementInput, measurements } from '../../../../support/arbitraries/measurement';
import { ThresholdInput, thresholds } from '../../../../support/arbitraries/threshold';
import { commands } from '../../../../support/arbitraries/command';
import { decoded, reasonsOf } from '../../../../support/reasons-of';
import { nodeId } from '../../../../support/scenario';
import { schemaValidator } from '../../../../support/schema-validator';

/** Seven digits, of which the last is often a 5: between two numbers of six. */
const nearTies = fc
  .tuple(fc.integer({ min: 0, max: 999_999 }), fc.constantFrom(0, 4, 5, 6), fc.integer({ min: -40, max: 40 }))
  .map(([digits, last, exponent]) => Number(`${digits}${last}e${exponent}`));

const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('codecs round-trip through JSON', () => {
  test.prop([thresholds])('a threshold comes back as it was PUT', (threshold) => {
    expect(decoded(ThresholdInput, overJson(threshold))).toStrictEqual(threshold);
  });

  test.prop([thresholds])('what GET shows of a threshold is that threshold', (threshold) => {
    const shown = overJson(thresholdView(nodeId, threshold));
    expect(decoded(storedThreshold, shown)).toStrictEqual({ nodeId, ...threshold });
    expect(decoded(ThresholdInput, shown)).toStrictEqual({ nodeId, ...threshold });
  });

  test.prop([measurements])('a measurement is kept as it was packed', (measurement) => {
    const packed = decoded(MeasurementInput, overJson(measurement));
    expect(decoded(storedMeasurement, overJson(packed))).toStrictEqual(packed);
    expect(decoded(storedMeasurement, overJson(measurement))).toStrictEqual(packed);
  });

  test.prop([fc.oneof(fc.double({ min: 0, max: 1e300, noNaN: true }), nearTies)])(
    'an amplitude is rounded to six digits as exactly as JavaScript writes it',
    (y) => {
      expect([...amplitudesOf(packLines([{ x: 0, y }]))]).toEqual([Number(y.toExponential(5))]);
    },
  );

  test.prop([lines])('lines keep their places, and six digits of their amplitudes', (given) => {
    const packed = packLines(given);
    const places = positionsOf(packed);
    const amplitudes = amplitudesOf(packed);
    expect(places).toHaveLength(given.length);
    given.forEach(({ x, y }, index) => {
      expect(Math.abs((places[index] ?? NaN) - x)).toBeLessThanOrEqual(
        2e-9 * Math.max(x, 'step' in packed ? packed.step : 0),
      );
      expect(amplitudes[index]).toBe(Number(y.toPrecision(6)));
    });
  });
});

/** Rules that no JSON Schema can tell: between values, and of the whole as JSON. */
const beyondSchema = [
  /: must not be below /u,
  /: must be unique among the choices$/u,
  /: must be greater than the one before/u,
  /: must be at most \d+ bytes as JSON$/u,
];

const ajv = schemaValidator();
const [isThreshold, isMeasurement] = [ThresholdInput, MeasurementInput].map(({ schema }) => ajv.compile(schema));

/** What the schema allows is taken but for the rules above, and what it does not allow is refused. */
const agree = <A>(codec: Codec<A>, isAllowed: ValidateFunction | undefined, given: unknown): void => {
  const reasons = reasonsOf(codec, given);
  const stated = reasons.filter((reason) => !beyondSchema.some((rule) => rule.test(reason)));
  if (isAllowed?.(given) === true) expect(stated).toEqual([]);
  else expect(reasons).not.toEqual([]);
};

describe('the JSON Schema of a codec', () => {
  test.prop([fromSchema(ThresholdInput.schema)])('tells every rule of a threshold but those between values', (given) =>
    agree(ThresholdInput, isThreshold, given),
  );

  test.prop([fromSchema(MeasurementInput.schema)])(
    'tells every rule of a measurement but those between values',
    (given) => agree(MeasurementInput, isMeasurement, given),
  );

  test.prop([
    fromSchema(ThresholdInput.schema),
    fc
      .string({ minLength: 1 })
      .filter(
        (name) =>
          !/^(nodeId|thresholdType|overall|rateOfChange|inspection|bandAlarms|halAlarms|fullScale|origin)$/u.test(name),
      ),
    fc.jsonValue(),
  ])('tells every property: another one is refused by its name', (given, name, value) => {
    const surplus: unknown = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    const body = Object.fromEntries([given, surplus].flatMap((part) => (isRecord(part) ? Object.entries(part) : [])));
    expect(reasonsOf(ThresholdInput, body)).toContain(`${name}: is not a known property`);
  });
});

/** A value with one place of it replaced by another value. */
const damaged = (value: unknown, path: ReadonlyArray<number>, by: unknown): unknown => {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return by;
  const names = Object.keys(value);
  const name = names[first % Math.max(1, names.length)];
  if (name === undefined) return by;
  const changed = (member: unknown): unknown => damaged(member, rest, by);
  return Array.isArray(value)
    ? value.map((member: unknown, index) => (String(index) === name ? changed(member) : member))
    : Object.fromEntries(
        Object.entries(value).map(([key, member]: [string, unknown]) => [key, key === name ? changed(member) : member]),
      );
};

const reasonsIn = (refusal: Refusal): number => ('reasons' in refusal ? refusal.reasons.length : 0);

const anyJson = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, -1, 1e308, '', [], {}, [null], 'x'.repeat(2_000)),
);

describe('decoding never throws, whatever comes', () => {
  test.prop([fc.constantFrom(...commandNames), anyJson])('a payload', (name, payload) => {
    const command = decodeCommand(nodeId, name, payload, 0);
    expect(E.isLeft(command) && command.left._tag).toBe('InvalidCommand');
  });

  test.prop([commands, fc.array(fc.nat(9), { maxLength: 5 }), anyJson], { numRuns: 500 })(
    'a payload that was damaged',
    ([name, payload], path, by) => {
      const command = decodeCommand(nodeId, name, damaged(payload, path, by), 0);
      if (E.isRight(command)) expect(command.right.name).toBe(name);
      else expect(reasonsIn(command.left)).toBeGreaterThan(0);
    },
  );

  test.prop([
    fc.array(
      fc.record({
        op: fc.constantFrom('add', 'move', 'test', '_get'),
        path: fc.string(),
        from: fc.string(),
        value: fc.jsonValue(),
      }),
    ),
  ])('a patch', (given) => {
    const operations = decode(patchOperations(), given);
    if (E.isRight(operations)) expect(operations.right).toHaveLength(given.length);
    else expect(operations.left.length).toBeGreaterThan(0);
  });
});

/** `value` with the properties of every object in the order that `order` gives them. */
const ordered = (value: unknown, order: (names: ReadonlyArray<string>) => ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => ordered(item, order));
  if (!isRecord(value)) return value;
  return Object.fromEntries(order(Object.keys(value)).map((name) => [name, ordered(value[name], order)]));
};
const sorted = (value: unknown): string => JSON.stringify(ordered(value, (names) => [...names].sort()));

describe('a digest', () => {
  test.prop([fc.jsonValue()])('does not depend on the order of properties', (value) => {
    expect(digest(ordered(value, (names) => [...names].reverse()))).toBe(digest(value));
  });

  test.prop([fc.jsonValue(), fc.jsonValue()])('differs just where values differ', (one, other) => {
    expect(digest(one) === digest(other)).toBe(sorted(one) === sorted(other));
  });
});

test.prop([fc.jsonValue({ stringUnit: 'binary' })])('the bytes of JSON are counted as UTF-8', (value) => {
  expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
});
