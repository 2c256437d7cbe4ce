import { expect, test } from 'vitest';
import { budget } from './budget';
import { runOnCores } from './run-on-cores';

/** So few schedules show nothing; the slowest machine runs more in the time that there is. */
const FEWEST = 200;

test('every schedule keeps every promise', async () => {
  const until = performance.now() + budget.seconds * 1_000;
  const { totals, report } = await runOnCores({
    seed: 1,
    schedules: budget.schedules,
    processes: 2,
    goesOn: ({ schedules }) => schedules < FEWEST || performance.now() < until,
  });
  console.info(`${totals.schedules} schedules, ${totals.writes} writes, ${totals.events} events`);
  expect(report).toBe('');
  expect(totals.events).toBeGreaterThan(totals.schedules);
  expect(Object.keys(totals.injected).length).toBeGreaterThan(20);
});
