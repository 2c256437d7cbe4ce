import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { membersIn, parseJson, readJson } from '../../../process/json';
import { COMMAND_VALUES } from '../../../workflows/domain/limits';

const open = '['.repeat(64);
const isTooDeep = (text: string): boolean => E.isLeft(membersIn(Buffer.from(text)));

describe('a text is too deep', () => {
  test.each([
    [`${open}${']'.repeat(64)}`, false],
    [`${open}[${']'.repeat(65)}`, true],
    [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, true],
    [`${open}]`.repeat(2), true],
    [`${open}${']'.repeat(64)}`.repeat(3), false],
    [`${open}"[`, false],
    [`${open}"\\"["[`, true],
    [`${open}"\\\\"[`, true],
    [`"${open}[`, false],
    ['"\\', false],
    ['', false],
  ])('where it opens 65 levels outside of texts: %#', (text, expected) => expect(isTooDeep(text)).toBe(expected));

  test('never where JSON.stringify wrote up to 64 levels', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(58), (value, around) => {
        expect(isTooDeep(`${'['.repeat(around)}${JSON.stringify(value)}${']'.repeat(around)}`)).toBe(false);
      }),
    );
  });
});

const membersOf = (count: number): string => Array.from({ length: count }, (_, index) => `"${index}":[{}]`).join();

describe('the members of a text', () => {
  test.each([
    ['{"a": 1, "a": ":", "b": {"c:": [{"d": 1}]}}', 5],
    ['[1, "a:b", []]', 0],
    [`{${membersOf(1_000)}}`, 1_000],
    [`[{${membersOf(1_000)}},{${membersOf(1_000)}}]`, 2_000],
    [']]}}:', 1],
  ])('%#', (text, members) => expect(membersIn(Buffer.from(text))).toEqual(E.right(members)));

  test('are at most 1,000 in an object', () => {
    const reason = { name: '', reason: 'must have at most 1000 members in an object' };
    expect(membersIn(Buffer.from(`{${membersOf(1_001)}}`))).toEqual(E.left(reason));
    expect(membersIn(Buffer.from(`[{"a":{${membersOf(1_001)}`))).toEqual(E.left(reason));
  });
});

const faultsOf = (text: string): unknown => {
  const read = readJson(Buffer.from(text));
  return E.isRight(read) ? read.right.faults : read.left;
};
const twice = (name: string) => ({ name, reason: 'is named twice' });
const infinite = (name: string) => ({ name, reason: 'must be a finite number' });

describe('the values of a text', () => {
  const reason = { name: '', reason: 'must have at most 100000 values' };
  test.each([
    [`[${Array(99_999).fill('1').join()}]`, E.right(0)],
    [`[${Array(100_001).fill('1').join()}]`, E.left(reason)],
    [`[${Array(50_001).fill('[]').join()}]`, E.left(reason)],
    [`["${','.repeat(200_000)}"]`, E.right(0)],
  ])('are at most 100,000: %#', (text, members) =>
    expect(membersIn(Buffer.from(text), COMMAND_VALUES)).toEqual(members),
  );
});

describe('the faults of a JSON text', () => {
  test.each([
    ['{"a": 1, "b": 1}', []],
    ['{"a": 1, "a": 1}', [twice('a')]],
    ['{"a": 1, "a": 2, "a": 3}', [twice('a')]],
    ['{"a": {"a": 1}, "b": {"a": 1}}', []],
    ['{"a": {"b": 1, "b": 1}}', [twice('a.b')]],
    ['{"a": {"b": 1}, "a.b": 1, "a": 1}', [twice('a')]],
    ['[{"a": 1}, {"a": 1}]', []],
    ['[0, {"a": 1, "a": 1}, [], {"b": [[{"c": 1, "c": 1}]]}]', [twice('1.a'), twice('3.b.0.0.c')]],
    ['{"a": "a", "b": "a", "a": ["a", "a"]}', [twice('a')]],
    ['{"a\\u0062": 1, "ab": 1}', [twice('ab')]],
    ['{"\\"": 1, "\\\\": 1, "\\"": 1}', [twice('"')]],
    ['{"a": "\\"b\\": ,{", "b": "}", "c": "\\\\"}', []],
    ['{"": 1, "": 1}', [twice('')]],
    ['"a"', []],
    [' {"a" : [ ] , "b" : { } , "a" : null } ', [twice('a')]],
    ['[1e308, {"a": [1, 1e999]}, -1E+400]', [infinite('1.a.1'), infinite('2')]],
    ['1e999', [infinite('')]],
    ['{"a": 1e999, "b": {"c": 1, "c": 1}}', [twice('b.c'), infinite('a')]],
    [`[${'1'.repeat(309)}, ${'9'.repeat(309)}, ${'1'.repeat(250)}e99, true, false]`, [infinite('1'), infinite('2')]],
    [`{"${'n'.repeat(300)}": [{"a": 1, "a": 1}]}`, [twice(`${'n'.repeat(255)}…`)]],
  ])('%s', (text, faults) => expect(faultsOf(text)).toEqual(faults));

  test('are as many as an answer lists', () => {
    const objects = Array.from({ length: 1_100 }, () => '{"a": 1, "a": 1}');
    expect(faultsOf(`[${objects.join()}]`)).toHaveLength(1_000);
  });

  test('are none in what JSON.stringify writes, however many members it has', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
        const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
        expect(readJson(bytes)).toEqual(E.right({ value: JSON.parse(bytes.toString()), faults: [] }));
      }),
    );
  });

  test('are looked for where the members of the text are more than those of its value, and only there', () => {
    const bytes = Buffer.from('{"a": 1, "a": 1}');
    expect(parseJson(bytes, 1)).toMatchObject(E.right({ faults: [] }));
    expect(parseJson(bytes, 2)).toMatchObject(E.right({ faults: [twice('a')] }));
  });
});
