import { expect, test } from 'vitest';
import { afterChanges, changesCell, changesLine, MOST_CHANGES } from '../../../cli/changes';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;

test.each<[times: ReadonlyArray<number>, line: string]>([
  [[], '0 in an hour, 0 in a day'],
  [[NOW], '1 in an hour, 1 in a day'],
  [[NOW - HOUR + 1], '1 in an hour, 1 in a day'],
  [[NOW - HOUR], '0 in an hour, 1 in a day'],
  [[NOW - 24 * HOUR, NOW - 24 * HOUR + 1], '0 in an hour, 1 in a day'],
  [Array.from({ length: MOST_CHANGES }, (_, at) => NOW - 2 * HOUR + at), '0 in an hour, 60 or more in a day'],
])('%j', (times, line) => expect(changesLine(times, NOW)).toBe(line));

test('in a table they are shorter', () => {
  expect(changesCell([NOW - 2 * HOUR, NOW], NOW)).toBe('1/h 2/d');
  expect(
    changesCell(
      Array.from({ length: 70 }, () => NOW),
      NOW,
    ),
  ).toBe('60+/h 60+/d');
});

test('the changes of a day are kept of each part, and sixty at most', () => {
  const first = afterChanges({}, ['a', 'b'], 1);
  expect(first).toEqual({ a: [1], b: [1] });
  expect(afterChanges(first, ['b'], 2)).toEqual({ a: [1], b: [1, 2] });
  expect(afterChanges(first, ['b'], 24 * HOUR + 1)).toEqual({ b: [24 * HOUR + 1] });
  const many = Array.from({ length: 200 }, (_, at) => at).reduce((all, at) => afterChanges(all, ['a'], at), {});
  expect(many).toEqual({ a: Array.from({ length: 60 }, (_, at) => 140 + at) });
});
