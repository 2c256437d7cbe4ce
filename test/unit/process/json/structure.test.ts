import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { censusOf } from '../../../../process/json/read-json';
import { membersIn } from '../../../../process/json/scan-json';

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
  ])('where it opens 65 levels outside of texts: %#', (text, expected) => {
    expect(isTooDeep(text)).toBe(expected);
  });

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
  ])('%#', (text, members) => {
    expect(membersIn(Buffer.from(text))).toEqual(E.right(members));
  });

  test('are at most 1,000 in an object', () => {
    const reason = { name: '', reason: 'must have at most 1000 members in an object' };
    expect(membersIn(Buffer.from(`{${membersOf(1_001)}}`))).toEqual(E.left(reason));
    expect(membersIn(Buffer.from(`[{"a":{${membersOf(1_001)}`))).toEqual(E.left(reason));
  });

  test('are those that JSON.parse finds, where none is named twice', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(membersIn(Buffer.from(JSON.stringify(value)))).toEqual(E.right(censusOf(value).members));
      }),
    );
  });
});
