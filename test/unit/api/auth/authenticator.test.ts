import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { bearerToken, createVerifiedTokens, keyHint } from '../../../../api/auth/token';

describe('the header', () => {
  test.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer   ', ''])('may put %j before the token', (scheme) => {
    expect(bearerToken(`${scheme}a.b.c`)).toEqual(E.right('a.b.c'));
  });

  test.each([undefined, '', '  ', 'Bearer', 'bearer '])('%j holds no token', (header) => {
    expect(bearerToken(header)).toEqual(E.left({ _tag: 'NoToken' }));
  });

  test.each(['x', 'a.b', 'a.b.c.d', '..', 'null', 'Bearer x', 'ÿþ.\u0000.é', '💥', 'e30=.e30.e30', 'e31.e30.e30'])(
    '%j holds no JWT',
    (text) => expect(keyHint(text)).toEqual(E.left({ _tag: 'BadToken', reason: 'The token is no JWT' })),
  );

  test('holds at most 16 KiB', () => {
    expect(bearerToken('x'.repeat(16_384))).toSatisfy(E.isRight);
    const reason = 'The token is longer than 16384 bytes';
    expect(bearerToken('x'.repeat(16_385))).toEqual(E.left({ _tag: 'BadToken', reason }));
  });
});

describe('a token that was verified', () => {
  const user = { userId: 'ada' };

  test('is known for a minute', () => {
    const tokens = createVerifiedTokens();
    tokens.keep('t', user, 1, 1_000);
    expect(tokens.userOf('t', 1, 60_999)).toBe('ada');
    expect(tokens.userOf('t', 1, 61_000)).toBeUndefined();
    expect(tokens.userOf('u', 1, 1_000)).toBeUndefined();
  });

  test('keeps its turn beyond that, until it is checked anew; one that was never verified has none', () => {
    const tokens = createVerifiedTokens();
    tokens.keep('t', user, 1, 1_000);
    expect(tokens.userOf('t', 1, 61_000)).toBeUndefined();
    expect(['t', 'u'].map(tokens.lastUserOf)).toEqual(['ada', undefined]);
  });

  test('is not known past its expiry', () => {
    const tokens = createVerifiedTokens();
    tokens.keep('t', { ...user, expiresAt: 5_000 }, 1, 1_000);
    expect(tokens.userOf('t', 1, 4_999)).toBe('ada');
    expect(tokens.userOf('t', 1, 5_000)).toBeUndefined();
  });

  test('is not known under another key set, nor while the set is fetched, and not kept then', () => {
    const tokens = createVerifiedTokens();
    tokens.keep('t', user, 1, 0);
    expect(tokens.userOf('t', 2, 0)).toBeUndefined();
    expect(tokens.userOf('t', undefined, 0)).toBeUndefined();
    tokens.keep('u', user, undefined, 0);
    expect(tokens.userOf('u', undefined, 0)).toBeUndefined();
  });

  test('is forgotten when there are too many, the oldest first', () => {
    const tokens = createVerifiedTokens(2);
    for (const token of ['a', 'b', 'a', 'c']) tokens.keep(token, user, 1, 0);
    expect(['a', 'b', 'c'].map((token) => tokens.userOf(token, 1, 0))).toEqual(['ada', undefined, 'ada']);
  });
});
