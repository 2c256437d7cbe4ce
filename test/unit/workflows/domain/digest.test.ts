import { describe, expect, test } from 'vitest';
import { digest, fractionOf } from '../../../../workflows/domain/digest';

describe('a digest', () => {
  test('is 12 characters of base64url', () => {
    for (const value of [null, 0, '', {}, [], { a: 1 }, 'x'.repeat(10_000)]) {
      expect(digest(value)).toMatch(/^[\w-]{12}$/u);
    }
  });

  test('is kept from release to release: nodes carry it along', () => {
    expect(digest({ b: [1, 'two', null], a: { d: 1.5, c: true } })).toBe('DIu7b_DRfmjG');
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

  test('spreads texts evenly', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 10_000; index += 1) {
      const fraction = fractionOf(`node ${index}`);
      expect(fraction >= 0 && fraction < 1).toBe(true);
      tenths[Math.floor(fraction * 10)] = (tenths[Math.floor(fraction * 10)] ?? 0) + 1;
    }
    for (const count of tenths) expect(count).toBeGreaterThan(800);
  });

  test('does not collide among 50,000 like values', () => {
    const digests = new Set(Array.from({ length: 50_000 }, (_, index) => digest({ x: index % 7, y: index / 1_000 })));
    expect(digests.size).toBe(50_000);
  });
});
