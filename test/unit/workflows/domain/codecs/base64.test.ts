import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../../../../workflows/domain/measurement/packed-lines';

// RFC 4648, section 10.
test.each([
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
])('"%s" is %s', (text, base64) => {
  const bytes = Uint8Array.from(Buffer.from(text));
  expect(toBase64(bytes)).toBe(base64);
  expect(fromBase64(base64)).toEqual(bytes);
});

test('every byte in every place is written as the platform writes it, and read back', () => {
  const bytes = Uint8Array.from({ length: 3 * 256 }, (_, index) => (index * 7 + (index >> 8)) & 255);
  const base64 = toBase64(bytes);
  expect(base64).toBe(Buffer.from(bytes).toString('base64'));
  expect(fromBase64(base64)).toEqual(bytes);
});

test.each(['A', 'AA', 'AAA', 'AAA!', '名AAA', 'AA=A', 'A===', '====', 'AB==', 'AAB=', 'AA-_'])('%s is none', (text) => {
  expect(fromBase64(text)).toBeUndefined();
});
