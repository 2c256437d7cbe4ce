import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTooDeep } from '../../../api/body/is-too-deep';

const open = '['.repeat(64);

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
