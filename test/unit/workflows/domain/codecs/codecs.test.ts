import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { describe, expect, test } from 'vitest';
import {
  codec,
  decode,
  described,
  epochMsOf,
  epochNanosOf,
  finite,
  flag,
  isRecord,
  json,
  object,
  named,
  oneOf,
  text,
} from '../../../../../workflows/domain/codecs';
import { decoded, reasonsOf } from '../../../../support/reasons-of';

describe('a codec', () => {
  const point = object('point', { x: finite }, { label: text(5, 1) });

  test.each(['😀😀😀😀😀', 'é名😀xy', 'x'])('counts characters, as a schema does: %s', (label) => {
    expect(decoded(point, { x: 1, label })).toEqual({ x: 1, label });
  });

  test('takes true and false, and nothing that only looks like them', () => {
    expect([true, false].map((value) => decoded(flag, value))).toEqual([true, false]);
    expect(reasonsOf(flag, 'true')).toEqual([': must be true or false']);
  });

  test('knows whether a value is one', () => {
    expect(point.is({ x: 1 })).toBe(true);
    expect(point.is({ x: '1' })).toBe(false);
  });

  test('encodes what it decoded as it is', () => {
    expect(point.encode({ x: 1, label: 'a' })).toEqual({ x: 1, label: 'a' });
  });

  test('tells its JSON Schema', () => {
    expect(point.schema).toEqual({
      title: 'point',
      type: 'object',
      required: ['x'],
      properties: { x: { type: 'number', format: 'double' }, label: { type: 'string', minLength: 1, maxLength: 5 } },
      additionalProperties: false,
    });
    expect(oneOf('word', ['a', 'b']).schema).toEqual({ title: 'word', type: 'string', enum: ['a', 'b'] });
    const numbers = { title: 'number', type: 'integer', enum: [1, 2], 'x-enum-varnames': ['ONE', 'TWO'] };
    expect(named('number', { ONE: 1, TWO: 2 }).schema).toEqual(numbers);
  });

  test('carries a description and decodes as before', () => {
    const noted = described(point, 'A place');
    expect(noted.schema).toEqual({ ...point.schema, description: 'A place' });
    expect(decoded(noted, { x: 1 })).toEqual({ x: 1 });
    expect(reasonsOf(noted, {})).toEqual(['x: is required']);
  });

  const otherLength = 'label: must be text of 1 to 5 characters';
  test.each<[name: string, given: unknown, then: ReadonlyArray<string>]>([
    ['text of too many characters of two units', { x: 1, label: '😀😀😀😀😀x' }, [otherLength]],
    ['text of far too many', { x: 1, label: 'x'.repeat(11) }, [otherLength]],
    ['text that is too short', { x: 1, label: '' }, [otherLength]],
    ['a required property that is null', { x: null }, ['x: must be a finite number']],
    ['a required property that is inherited only', Object.create({ x: 1 }), ['x: is required']],
    ['a property without a name', { x: 1, '': 2 }, [': is not a known property']],
  ])('refuses %s', (_name, given, then) => expect(reasonsOf(point, given)).toEqual(then));

  test('says that a value is not valid where no rule says why', () => {
    const none = codec('none', {}, (input, context) => t.failure(input, context));
    expect(reasonsOf(none, 1)).toEqual([': is not valid']);
  });

  test('names a fault in at most 256 characters, however long its path is', () => {
    const reasons = decode(point, { x: 1, ['n'.repeat(10_000)]: 1 });
    expect(E.isLeft(reasons) && reasons.left).toEqual([
      { name: `${'n'.repeat(255)}…`, reason: 'is not a known property' },
    ]);
  });
});

describe('any JSON value', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  test.each([null, true, 0, '', [], {}, [[{ a: [null] }]], nested(32)])('%j is one', (given) => {
    expect(decoded(json, given)).toBe(given);
  });

  test('one that nests deeper than 32 levels is refused', () => {
    expect(reasonsOf(json, nested(33))).toEqual([': must nest at most 32 levels']);
  });
});

test.each<[given: unknown, then: boolean]>([
  [{}, true],
  [[], false],
  [null, false],
  ['{}', false],
])('%j is a record: %s', (given, then) => expect(isRecord(given)).toBe(then));

test('a text that is no date-time has no moment', () => {
  expect(() => epochNanosOf('soon')).toThrow(RangeError);
  expect(() => epochMsOf('soon')).toThrow(RangeError);
});
