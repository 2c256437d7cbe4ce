import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { expect } from 'vitest';
import { decode, epochMsOf, epochNanosOf, instant } from '../../../../../workflows/domain/codecs';
import { instants } from '../../../../support/arbitraries/from-schema';

const MS = 1_000_000n;

test.prop([instants])(
  'a date-time of any spelling is taken as it is written, and names its moment',
  ({ text, epochNanos }) => {
    expect(decode(instant, text)).toEqual(E.right(text));
    expect(epochNanosOf(text)).toBe(epochNanos);
    expect(epochMsOf(text)).toBe(Number((epochNanos - (((epochNanos % MS) + MS) % MS)) / MS));
  },
);

test.prop([instants])('the pattern of its schema takes what the codec takes', ({ text }) => {
  expect(text).toMatch(new RegExp(String(instant.schema['pattern']), 'u'));
});

const near = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789-:.,+TtZz')) }),
  fc
    .tuple(instants, fc.nat(30), fc.constantFrom('', '0', '9', ':', ',', '+', 'Z', ' '))
    .map(([{ text }, at, odd]) => text.slice(0, at) + odd + text.slice(at + 1)),
);
test.prop([near])('what the codec takes fits the pattern, and is a moment', (text) => {
  if (E.isLeft(decode(instant, text))) return;
  expect(text).toMatch(new RegExp(String(instant.schema['pattern']), 'u'));
  expect(typeof epochNanosOf(text)).toBe('bigint');
});
