import { expect, test } from 'vitest';
import { createVerifiedTokens } from '../../../../api/auth/authenticator';

const user = { userId: 'ada' };

test('a token is known for a minute', () => {
  const tokens = createVerifiedTokens();
  tokens.keep('t', user, 1, 1_000);
  expect(tokens.userOf('t', 1, 60_999)).toBe('ada');
  expect(tokens.userOf('t', 1, 61_000)).toBeUndefined();
  expect(tokens.userOf('u', 1, 1_000)).toBeUndefined();
});

test('a token is not known past its expiry', () => {
  const tokens = createVerifiedTokens();
  tokens.keep('t', { ...user, expiresAt: 5_000 }, 1, 1_000);
  expect(tokens.userOf('t', 1, 4_999)).toBe('ada');
  expect(tokens.userOf('t', 1, 5_000)).toBeUndefined();
});

test('a token is not known under another key set, nor while the set is fetched, and not kept then', () => {
  const tokens = createVerifiedTokens();
  tokens.keep('t', user, 1, 0);
  expect(tokens.userOf('t', 2, 0)).toBeUndefined();
  expect(tokens.userOf('t', undefined, 0)).toBeUndefined();
  tokens.keep('u', user, undefined, 0);
  expect(tokens.userOf('u', undefined, 0)).toBeUndefined();
});

test('the oldest leaves when there are too many', () => {
  const tokens = createVerifiedTokens(2);
  tokens.keep('a', user, 1, 0);
  tokens.keep('b', user, 1, 0);
  tokens.keep('a', user, 1, 0); // again: now the younger one
  tokens.keep('c', user, 1, 0);
  expect(['a', 'b', 'c'].map((token) => tokens.userOf(token, 1, 0))).toEqual(['ada', undefined, 'ada']);
});
