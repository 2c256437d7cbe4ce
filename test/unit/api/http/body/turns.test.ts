import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../../../../api/http/body/turns';

test('users take turns, and the work of each is done in order', async () => {
  const inTurn = createTurns();
  const done: string[] = [];
  const work = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
    inTurn(name.charAt(0), () => {
      done.push(name);
      return name;
    }),
  );
  expect(await Promise.all(work)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']); // the first was done before others came
});

/** Blocks the process, as the parsing of a large body does. */
const busy = (ms: number): void => {
  const began = performance.now();
  while (performance.now() - began < ms) void 0;
};

/** Runs ten pieces of 10 ms, beside other work where there is `other`; the pieces and the other work done, in order. */
const tenPieces = async (other: boolean): Promise<ReadonlyArray<string>> => {
  const inTurn = createTurns();
  const done: string[] = [];
  let isOver = false;
  const others = async (): Promise<void> => {
    while (!isOver) {
      busy(2);
      done.push('other');
      await nextTurn();
    }
  };
  const running = other ? others() : Promise.resolve();
  const pieces = Array.from({ length: 10 }, () =>
    inTurn('a', () => {
      busy(10);
      done.push('piece');
    }),
  );
  await Promise.all(pieces);
  isOver = true;
  await running;
  return done;
};

test('while other work waits, it goes on between two pieces, more than once', async () => {
  const between = (await tenPieces(true)).join(' ').split('piece').slice(1, -1);
  for (const others of between) expect(others).toContain('other');
  expect(between.join().match(/other/gu)?.length).toBeGreaterThan(between.length);
});

test('where nothing else waits, the next piece follows at once', async () => {
  const before = performance.eventLoopUtilization();
  await tenPieces(false);
  const { idle, active } = performance.eventLoopUtilization(before);
  expect(idle).toBeLessThan(active / 2); // a rest as long as each piece took made them equal
});

test('work that throws is told to its caller alone, and new work is done after a pause', async () => {
  const inTurn = createTurns();
  const broken = inTurn('a', () => {
    throw new TypeError('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  await sleep(5);
  expect(await inTurn('a', () => 'done')).toBe('done');
});
