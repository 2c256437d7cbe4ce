import { describe, expect, test } from 'vitest';
import { plainTexts } from './bodies';
import { budget } from './budget';
import { commandSubject, formSeeds } from './commands';
import { drawsOf } from './mutate';
import { processorTime } from './processor-time';
import { readJsonByPaths } from './planted/json';
import { createDomainSandbox, type Planted } from './sandbox';
import { search, type Costs } from './search';

/** A search has to find each fault within its minute. */
const WITHIN_MS = 60_000;
/** What is looked for: a call that takes as long as this (ms), twice what the dearest one takes without a fault. */
const LONG_MS = 100;

const isLong = ({ ms = 0 }: Costs): boolean => ms > LONG_MS;
const isUnderestimated = ({ overEstimate = 0 }: Costs): boolean => overEstimate > 20;

const rating = 'workflows/domain/rating';
const estimate = { 'workflows/domain/node/work-estimate.ts': 'work-estimate' };

describe('a fault that is put back is found', () => {
  test.each<[name: string, planted: Planted, seeds: keyof typeof formSeeds, isFound: (costs: Costs) => boolean]>([
    ['steps by the distance of lines', { [`${rating}/vibration/hal/excess.ts`]: 'excess' }, 'spectra', isLong],
    ['moves that copy', { 'fast-json-patch': 'fast-json-patch' }, 'patches', isLong],
    ['labels read again and again', { [`${rating}/vibration/hal/family.ts`]: 'family' }, 'thresholds', isLong],
    [
      'names joined again and again',
      { [`${rating}/vibration/bearings/bearing-lookup.ts`]: 'bearing-lookup' },
      'thresholds',
      isLong,
    ],
    [
      'answers sought for each choice, as cheap as anything',
      { ...estimate, [`${rating}/rate.ts`]: 'rate' },
      'others',
      isUnderestimated,
    ],
    ['one estimate for all commands', estimate, 'patches', isUnderestimated],
  ])(
    '%s',
    async (_, planted, seeds, isFound) => {
      const files = Object.entries(planted).map(([file, by]) => [file, `test/cost/planted/${by}.ts`]);
      const sandbox = await createDomainSandbox(Object.fromEntries(files) as Planted);
      const began = performance.now();
      const found = search(commandSubject(sandbox, formSeeds[seeds], 1), drawsOf(budget.seed), WITHIN_MS, isFound);
      console.info(`found after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
      expect(Object.values(found).some(({ costs }) => isFound(costs))).toBe(true);
    },
    WITHIN_MS + 30_000,
  );

  test(
    'paths of faults that are kept whole',
    () => {
      const measure = (text: string): Costs => {
        const took = processorTime();
        readJsonByPaths(text);
        return { ms: took() };
      };
      const subject = { seeds: plainTexts, mostBytes: 2 * 1_024 * 1_024, measure };
      const found = search(subject, drawsOf(budget.seed), WITHIN_MS, isLong);
      expect(found['ms']?.costs['ms']).toBeGreaterThan(LONG_MS);
    },
    WITHIN_MS + 30_000,
  );
});
