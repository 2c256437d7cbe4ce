import { expect, test } from 'vitest';
import { CALM, FLAPPING, measurementOf, NEVER } from '../../../dev/bench/calls';

const COUNT = 7;

/** Whether each of `turns` of a node is in DANGER. */
const dangerOf = (dangerEvery: ReadonlyArray<number>, place: number, turns: number): ReadonlyArray<boolean> =>
  Array.from(
    { length: turns },
    (_, turn) => measurementOf(turn * COUNT + place, COUNT, dangerEvery).dataPoint.coordinate.y === 65,
  );

test('a node that flaps begins in DANGER and changes at each turn; a calm one is there once in a hundred; NEVER is never', () => {
  for (let place = 0; place < COUNT; place += 1) {
    expect(dangerOf(FLAPPING, place, 4)).toEqual([true, false, true, false]);
    expect(dangerOf(CALM, place, 300).filter(Boolean)).toHaveLength(3);
    expect(dangerOf(NEVER, place, 300)).not.toContain(true);
  }
});
