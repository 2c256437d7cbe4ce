import { afterEach, expect, test, vi } from 'vitest';
import { createTurns } from '../../../../api/admission/turns';

afterEach(() => vi.useRealTimers());

test('users take turns, the work of each is done in order, and others run in between', async () => {
  const { runInTurn } = createTurns();
  const done: string[] = [];
  const work = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
    runInTurn(name.charAt(0), () => {
      done.push(name);
      setImmediate(() => done.push('-'));
      return name;
    }),
  );
  expect(await Promise.all(work)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  expect(done.join(' ')).toBe('a1 b1 - c1 - a2 - b2 - a3');
});

test('several pieces go in one turn where they are small, and turns are left to what is urgent, but not for ever', async () => {
  let urgent = 3;
  const done: string[] = [];
  const { runInTurn } = createTurns(2, () => {
    done.push('-');
    return urgent-- > 0;
  });
  const all = (names: ReadonlyArray<string>) => Promise.all(names.map((name) => runInTurn('a', () => done.push(name))));
  await all(['1', '2', '3']);
  expect(done.splice(0).join(' ')).toBe('- - - - 1 2 - 3');
  urgent = Infinity;
  await all(['4']);
  expect(done.join(' ')).toBe(`${'- '.repeat(9)}4`);
});

test('work that throws fails alone', async () => {
  const { runInTurn } = createTurns();
  const failing = runInTurn('a', () => {
    throw new Error('it cannot be done');
  });
  await expect(failing).rejects.toThrow('it cannot be done');
  expect(await runInTurn('a', () => 1)).toBe(1);
});

test('more than a crowd that has waited for a while is too much, of its user alone', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { runInTurn, isFull } = createTurns();
  const wait = (userId: string, count: number) => Array.from({ length: count }, () => void runInTurn(userId, () => 0));
  wait('a', 64);
  wait('b', 65);
  expect(isFull('b')).toBe(false);
  vi.advanceTimersByTime(301);
  expect(['a', 'b', 'c'].map(isFull)).toEqual([false, true, false]);
});
