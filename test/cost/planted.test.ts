import { describe, expect, test } from 'vitest';
import { plainTexts } from './bodies';
import { budget } from './budget';
import { commandSubject, formSeeds } from './commands';
import { drawsOf } from './mutate';
import { processorTime } from './processor-time';
import { readJsonByPaths } from './planted/json';
import { createDomainSandbox, type Planted } from './sandbox';
import { search, type Costs, type Subject } from './search';

/** A search has to find each fault within a minute of processor time. */
const WITHIN_MS = 60_000;
/** A search that begins at another place finds what the first one missed by chance. */
const TRIES = 2;
/** Other processes may take as much again, and more. */
const patient = 6 * TRIES * WITHIN_MS;
/** What is looked for: a call that takes as long (ms), twice what the dearest one takes without a fault, or than its estimate. */
const FAULTY = { ms: 100, overEstimate: 20 };
type Figure = keyof typeof FAULTY;

/** A search for the one figure alone. */
const searchFor = async (figure: Figure, { measure, ...subject }: Subject): Promise<number> => {
  const ofFigure = async (text: string): Promise<Costs> => {
    const cost = (await measure(text))?.[figure];
    return cost === undefined ? {} : { [figure]: cost };
  };
  const isFound = (costs: Costs): boolean => (costs[figure] ?? 0) > FAULTY[figure];
  let most = 0;
  for (let again = 0; again < TRIES && most <= FAULTY[figure]; again += 1) {
    const took = processorTime();
    const draws = drawsOf(budget.seed + again);
    const { dearest } = await search({ ...subject, measure: ofFigure }, draws, WITHIN_MS, isFound);
    console.info(`searched for ${(took() / 1_000).toFixed(1)} s`);
    most = dearest.get(figure)?.costs[figure] ?? 0;
  }
  return most;
};

const rating = 'workflows/domain/rating';
const estimate = { 'workflows/domain/node/work-estimate.ts': 'work-estimate' };

describe('a fault that is put back is found', () => {
  test.each<[name: string, planted: Planted, seeds: keyof typeof formSeeds, figure: Figure]>([
    ['steps by the distance of lines', { [`${rating}/vibration/hal/excess.ts`]: 'excess' }, 'spectra', 'ms'],
    ['moves that copy', { 'fast-json-patch': 'fast-json-patch' }, 'patches', 'ms'],
    ['labels read again and again', { [`${rating}/vibration/hal/family.ts`]: 'family' }, 'thresholds', 'ms'],
    [
      'names joined again and again',
      { [`${rating}/vibration/bearings/bearing-lookup.ts`]: 'bearing-lookup' },
      'thresholds',
      'ms',
    ],
    [
      'answers sought for each choice, as cheap as anything',
      { ...estimate, [`${rating}/rate.ts`]: 'rate' },
      'others',
      'overEstimate',
    ],
    ['one estimate for all commands', estimate, 'patches', 'overEstimate'],
  ])(
    '%s',
    async (_, planted, seeds, figure) => {
      const files = Object.entries(planted).map(([file, by]) => [file, `test/cost/planted/${by}.ts`]);
      const sandbox = await createDomainSandbox(Object.fromEntries(files) as Planted);
      expect(await searchFor(figure, commandSubject(sandbox, formSeeds[seeds], 1))).toBeGreaterThan(FAULTY[figure]);
    },
    patient,
  );

  test(
    'paths of faults that are kept whole',
    async () => {
      const measure = (text: string): Costs => {
        const took = processorTime();
        readJsonByPaths(text);
        return { ms: took() };
      };
      const subject = { seeds: plainTexts, mostBytes: 2 * 1_024 * 1_024, measure };
      expect(await searchFor('ms', subject)).toBeGreaterThan(FAULTY.ms);
    },
    patient,
  );
});
