import { expect, test } from 'vitest';
import { traceOf } from './report/trace';
import { inCallback, loadAll } from './run-many';
import { planOf } from './world/plan';
import { runSchedule } from './world/run-schedule';
import type { Note } from './world/world';

const loaded = [loadAll(), loadAll()];

/** The whole trace of a seed, by code that is loaded for the first or the second time. */
const tracesOf = (seed: number): Promise<ReadonlyArray<string>> =>
  inCallback(() =>
    loaded.map(({ graphsOf }) => {
      const notes: Note[] = [];
      const plan = planOf(seed);
      runSchedule(plan, graphsOf(plan), notes);
      return traceOf(notes);
    }),
  );

test('the same seed gives the same trace, also after other schedules', async () => {
  for (const seed of [3, 72, 174, 1_001, 3]) {
    const [one, other] = await tracesOf(seed);
    expect(one).toBe(other);
    expect(one?.split('\n').length).toBeGreaterThan(20);
  }
});

test('another seed gives another trace', async () => {
  const [[one], [other]] = [await tracesOf(5), await tracesOf(6)];
  expect(one).not.toBe(other);
});
