import { expect, test } from 'vitest';
import { createWaitingList, type WaitingList } from '../../../../api/admission/waiting-list';

/** A list of `entries`, each a user and a unit. */
const listOf = (...entries: ReadonlyArray<string>): WaitingList<string> => {
  const list = createWaitingList<string>();
  for (const entry of entries) list.add(entry.charAt(0), entry.slice(1));
  return list;
};
const all = (list: WaitingList<string>): string => {
  let order = '';
  for (let next = list.next(); next !== undefined; next = list.next()) order += next[1];
  return order;
};

test.each([
  ['nobody', [], ''],
  ['one user by arrival', ['a1', 'a2', 'a3'], '123'],
  ['users in turn, each by arrival', ['a1', 'a2', 'a3', 'a4', 'b5', 'c6', 'b7'], '1562734'],
  ['a unit once, when the first turn of those who wait for it comes', ['a1', 'a2', 'a3', 'b3', 'b4'], '1324'],
  ['what a user waits for already keeps its place', ['a1', 'a2', 'a1'], '12'],
])('the order of %s', (_, entries, order) => expect(all(listOf(...entries))).toBe(order));

test('who was served last comes last, also with what comes later', () => {
  const list = listOf('a1', 'a2', 'b3');
  expect([list.next(), list.next()]).toEqual([
    ['a', '1'],
    ['b', '3'],
  ]);
  list.add('b', '4');
  list.add('c', '5');
  expect(all(list)).toBe('245');
});

test('a user who may have no turn now is passed over, and keeps their place', () => {
  const list = listOf('a1', 'a2', 'b3', 'b4');
  expect(list.next((user) => user !== 'a')).toEqual(['b', '3']);
  expect(list.next(() => false)).toBeUndefined();
  expect(all(list)).toBe('142');
});

test('what leaves has no turn', () => {
  const list = listOf('a1', 'a2', 'b2', 'b3');
  list.remove('a', '2');
  expect(list.has('2')).toBe(true);
  list.remove('b', '2');
  list.remove('b', '9');
  expect(list.has('2')).toBe(false);
  expect(list.turns()).toBe(2);
  expect(all(list)).toBe('13');
});

test.each([
  ['a', [], 1],
  ['a', ['a1', 'a2', 'a3'], 4],
  ['b', ['a1', 'a2', 'a3'], 2],
  ['c', ['a1', 'a2', 'a3', 'b4'], 3],
  ['b', ['a1', 'a2', 'a3', 'b4'], 4],
])('the turns until one more unit of %s behind %j', (user, entries, turns) =>
  expect(listOf(...entries).turnsUntil(user)).toBe(turns),
);

test.each([
  [[], undefined],
  [['a1'], 'a1'],
  [['a1', 'b2', 'b3', 'c4'], 'b3'],
])('the newest of the user who has most waiting, of %j', (entries, expected) => {
  expect(
    listOf(...entries)
      .newestOfBusiestUser()
      ?.join(''),
  ).toEqual(expected);
});
