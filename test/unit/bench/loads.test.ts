import { expect, test } from 'vitest';
import { measurementOf } from '../../../bench/calls';
import { CALM, FLAPPING, NEVER } from '../../../bench/job';

const COUNT = 7;

/** Whether each of `turns` of a node is in DANGER, by a job that has gone through its file. */
const dangerOf = (dangerEvery: ReadonlyArray<number>, place: number, turns: number): ReadonlyArray<boolean> => {
  const read = JSON.parse(JSON.stringify(dangerEvery)) as ReadonlyArray<number>;
  return Array.from(
    { length: turns },
    (_, turn) => measurementOf(turn * COUNT + place, COUNT, read).dataPoint.coordinate.y === 65,
  );
};

test('a node that flaps begins in DANGER and changes at each turn; a calm one is there once in a hundred; NEVER is never', () => {
  for (let place = 0; place < COUNT; place += 1) {
    expect(dangerOf(FLAPPING, place, 4)).toEqual([true, false, true, false]);
    expect(dangerOf(CALM, place, 300).filter(Boolean)).toHaveLength(3);
    expect(dangerOf(NEVER, place, 300)).not.toContain(true);
  }
});
