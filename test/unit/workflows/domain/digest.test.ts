import { describe, expect, test } from 'vitest';
import { digest, fractionOf } from '../../../../workflows/domain/digest';

// What it distinguishes, and what not, are laws of `codecs.prop.test.ts`.
describe('a digest', () => {
  test('is 12 characters of base64url', () => {
    for (const value of [null, 0, '', {}, [], { a: 1 }, 'x'.repeat(10_000)]) {
      expect(digest(value)).toMatch(/^[\w-]{12}$/u);
    }
  });

  test('is kept from release to release: nodes carry it along', () => {
    expect(digest({ b: [1, 'two', null], a: { d: 1.5, c: true } })).toBe('DIu7b_DRfmjG');
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
