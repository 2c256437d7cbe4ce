import { describe, expect, test } from 'vitest';
import { digest } from '../../../workflows/domain/digest';

describe('a digest', () => {
  test('is 16 hexadecimal digits', () => {
    for (const value of [null, 0, '', {}, [], { a: 1 }, 'x'.repeat(10_000)]) {
      expect(digest(value)).toMatch(/^[0-9a-f]{16}$/u);
    }
  });

  test('is kept from release to release: nodes carry it along', () => {
    expect(digest({ b: [1, 'two', null], a: { d: 1.5, c: true } })).toBe('c8bbb6ffd17e68c6');
  });

  test.each<[name: string, one: unknown, other: unknown]>([
    ['the order of properties', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['the order of properties inside of arrays', [{ a: 1, b: 2 }], [{ b: 2, a: 1 }]],
    ['how a number is written', JSON.parse('[1.0, 100]'), JSON.parse('[1, 1e2]')],
  ])('does not depend on %s', (_name, one, other) => {
    expect(digest(one)).toBe(digest(other));
  });

  test.each<[name: string, one: unknown, other: unknown]>([
    ['the order of items', [1, 2], [2, 1]],
    ['text and number', '1', 1],
    ['null and absent', { a: null }, {}],
    ['array and object', [], {}],
    ['one character', 'abc', 'abd'],
    ['characters that swap', 'ab', 'ba'],
    ['the last digit', 0.1, 0.10000000000000002],
    ['a member named __proto__', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}')],
  ])('tells %s', (_name, one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  test('does not collide among 50,000 like values', () => {
    const digests = new Set(Array.from({ length: 50_000 }, (_, index) => digest({ x: index % 7, y: index / 1_000 })));
    expect(digests.size).toBe(50_000);
  });
});
