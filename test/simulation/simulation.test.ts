import { expect, test } from 'vitest';
import { budget } from './budget';
import { reportOf } from './report/report';
import { loadAll, runMany } from './run-many';

/** So few schedules show nothing; the slowest machine runs more in the time that there is. */
const FEWEST = 200;

test('every schedule keeps every promise', async () => {
  const loaded = loadAll();
  const until = performance.now() + budget.seconds * 1_000;
  const { totals, found } = await runMany({
    seed: 1,
    schedules: budget.schedules,
    loaded,
    goesOn: ({ schedules }) => schedules < FEWEST || performance.now() < until,
  });
  console.info(`${totals.schedules} schedules, ${totals.writes} writes, ${totals.events} events`);
  expect(found === undefined ? '' : await reportOf(found, loaded)).toBe('');
  expect(totals.events).toBeGreaterThan(totals.schedules);
  expect(Object.keys(totals.injected).length).toBeGreaterThan(20);
});
