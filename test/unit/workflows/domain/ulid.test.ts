import { expect, test } from 'vitest';
import { nextUlid, type Entropy } from '../../../../workflows/domain/ulid';

const MOST = 1 - Number.EPSILON / 2;

// That ids rise strictly is a law of `node.prop.test.ts`.
test.each<[name: string, previous: string, now: number, entropy: Entropy, then: string]>([
  ['none is fresh', '', 0, [0, 0], '00000000000000000000000000'],
  ['none holds the time of the specification’s example', '', 1_469_918_176_385, [0, 0], '01ARYZ6S410000000000000000'],
  ['none holds both draws', '', 1, [0.5, 0.25], '0000000001G000000080000000'],
  ['none holds the greatest draws', '', 0, [MOST, MOST], '0000000000ZZZZZZZZZZZZZZZZ'],
  ['none holds the greatest time', '', 2 ** 48 - 1, [0, 0], '7ZZZZZZZZZ0000000000000000'],
  ['an earlier one is fresh', '0000000001ZZZZZZZZZZZZZZZZ', 2, [0, 0], '00000000020000000000000000'],
  ['one of the same time counts on', '0000000001000000000000000A', 1, [0.9, 0.9], '0000000001000000000000000B'],
  ['one of a later time counts on', '0000000009000000000000000A', 1, [0.9, 0.9], '0000000009000000000000000B'],
  ['one that ends in the last digit carries', '0000000001000000000000000Z', 1, [0, 0], '00000000010000000000000010'],
  ['last digits carry', '00000000010000000000A0ZZZZ', 1, [0, 0], '00000000010000000000A10000'],
  ['the last of a millisecond carries', '0000000001ZZZZZZZZZZZZZZZZ', 1, [0, 0], '00000000020000000000000000'],
  ['the last of a time carries on', '000000000ZZZZZZZZZZZZZZZZZ', 31, [0, 0], '00000000100000000000000000'],
  ['a gap of the alphabet is skipped', '0000000001000000000000000H', 1, [0, 0], '0000000001000000000000000J'],
])('the id after %s', (_name, previous, now, entropy, then) => expect(nextUlid(previous, now, entropy)).toBe(then));
