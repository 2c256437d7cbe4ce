import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textFaults } from '../../../../process/json/scan-json';

const twice = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, reason: 'is named twice' }));

describe('the faults of a JSON text', () => {
  test.each([
    ['{"a": 1, "b": 1}', []],
    ['{"a": 1, "a": 1}', ['a']],
    ['{"a": 1, "a": 2, "a": 3}', ['a']],
    ['{"a": {"a": 1}, "b": {"a": 1}}', []],
    ['{"a": {"b": 1, "b": 1}}', ['a.b']],
    ['[{"a": 1}, {"a": 1}]', []],
    ['[0, {"a": 1, "a": 1}, [], {"b": [[{"c": 1, "c": 1}]]}]', ['1.a', '3.b.0.0.c']],
    ['{"a": "a", "b": "a", "a": ["a", "a"]}', ['a']],
    ['{"a\\u0062": 1, "ab": 1}', ['ab']],
    ['{"\\"": 1, "\\\\": 1, "\\"": 1}', ['"']],
    ['{"a": "\\"b\\": ,{", "b": "}", "c": "\\\\"}', []],
    ['{"": 1, "": 1}', ['']],
    ['"a"', []],
    [' {"a" : [ ] , "b" : { } , "a" : null } ', ['a']],
  ])('%s', (text, names) => {
    expect(textFaults(text)).toEqual(twice(...names));
  });

  test('are none in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
        expect(textFaults(JSON.stringify(value, undefined, indent))).toEqual([]);
      }),
    );
  });
});
