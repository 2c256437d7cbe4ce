import { expect, test } from 'vitest';
import { runOnCores } from './run-on-cores';

/** How many schedules are run at most, and for how long (s): a busy machine runs fewer. */
const SCHEDULES = Number(process.env['SIMULATE_SCHEDULES'] ?? 20_000);
const SECONDS = Number(process.env['SIMULATE_SECONDS'] ?? 20);
/** So few schedules show nothing; the slowest machine runs more in the time that there is. */
const FEWEST = 200;

test('every schedule keeps every promise', async () => {
  const until = performance.now() + SECONDS * 1_000;
  const { totals, report } = await runOnCores({
    seed: 1,
    schedules: SCHEDULES,
    processes: 2,
    goesOn: ({ schedules }) => schedules < FEWEST || performance.now() < until,
  });
  console.info(`${totals.schedules} schedules, ${totals.writes} writes, ${totals.events} events`);
  expect(report).toBe('');
  expect(totals.events).toBeGreaterThan(totals.schedules);
  expect(Object.keys(totals.injected).length).toBeGreaterThan(20);
});
