import { setTimeout as sleep } from 'node:timers/promises';
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

test('others come between two pieces, and after each there is a rest as long as it took', async () => {
  const inTurn = createTurns();
  const busy = (): [number, number] => {
    const began = performance.now();
    while (performance.now() - began < 20) void 0;
    return [began, performance.now()];
  };
  const [[, firstEnded], [secondBegan]] = await Promise.all([inTurn('a', busy), inTurn('a', busy)]);
  expect(secondBegan - firstEnded).toBeGreaterThanOrEqual(18); // timers are whole milliseconds
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
