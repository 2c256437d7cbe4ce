import { expect, test } from 'vitest';
import { defects } from './code/defects';
import { loadAll, runMany } from './run-many';
import { planOf } from './world/plan';

/** Schedules that are run where the one that found a defect finds it no more, because the code has changed. */
const SEARCHED = 6_000;

test.each(defects)('it is found that $name', async (defect) => {
  const [loaded, { foundBy, given }] = [loadAll([defect]), defect];
  const first = await runMany({ seed: foundBy, schedules: 1, loaded, given });
  const { found } = first.found === undefined ? await runMany({ seed: 1, schedules: SEARCHED, loaded, given }) : first;
  expect(found?.verdict.breaches.map(({ promise }) => promise)).toContain(defect.breaks);
});

test('no seed of the table breaks a promise without its defect', async () => {
  const loaded = loadAll();
  for (const { foundBy, given } of defects) {
    const { found } = await runMany({ seed: foundBy, schedules: 1, loaded, given });
    expect(found?.verdict.breaches ?? []).toEqual([]);
  }
});

test('a defect whose text is gone from the code is reported', () => {
  const [defect] = defects;
  const loaded = loadAll([{ ...defect!, text: 'text that is nowhere' }]);
  expect(() => loaded.graphsOf(planOf(1))).toThrow('finds its text 0 times');
});
