import { beforeAll, describe, expect, test } from 'vitest';
import { packLines } from '../../workflows/domain/measurement/packed-lines';
import { bodySubjects, headSubject } from './bodies';
import { budget } from './budget';
import { commandSeeds, commandSubject } from './commands';
import { drawsOf } from './mutate';
import { commandOf, heavyLines, heavyThreshold, spectrumOf } from './reference';
import { createDomainSandbox, type DomainSandbox } from './sandbox';
import { search, type Costs, type Subject } from './search';

/** The laws, on a machine where the reference spectrum takes `REFERENCE_MS` or less: slower ones scale them. */
const REFERENCE_MS = 35;
const MOST: Costs = {
  /** Of one call. */
  ms: 100,
  /** Of a body, beyond its first 20 ms: a microsecond a byte. */
  perByte: 0.001,
  queries: 100,
  continueAsNew: 100,
};
/** An estimate is at least a quarter of the truth. */
const MOST_OVER_ESTIMATE = 4;

let sandbox: DomainSandbox;
let slower: number;
beforeAll(async () => {
  sandbox = await createDomainSandbox();
  const packed = commandOf('recordMeasurement', { measurement: spectrumOf({ lines: packLines(heavyLines()) }) });
  const times = Array.from({ length: 12 }, () => {
    sandbox.newNode();
    sandbox.take(commandOf('setThreshold', heavyThreshold));
    return sandbox.take(packed).ms;
  });
  slower = Math.min(...times) / REFERENCE_MS;
  console.info(`the reference spectrum takes ${Math.min(...times).toFixed(1)} ms`);
});

/** Looks for the dearest input, and holds its costs to the laws; what is dear is measured again, lest it was by chance. */
const holds = async ({ measure, ...subject }: Subject): Promise<void> => {
  const { kept } = await search({ ...subject, measure }, drawsOf(budget.seed), budget.searchMs);
  for (const figure of [...Object.keys(MOST), 'overEstimate']) {
    let [dearest, most] = [0, ''];
    for (const { text, costs } of kept) {
      let least = costs[figure] ?? 0;
      for (let again = 0; again < 3 && least > dearest; again += 1)
        least = Math.min(least, (await measure(text))?.[figure] ?? 0);
      if (least > dearest) [dearest, most] = [least, text];
    }
    const allowed = figure === 'overEstimate' ? MOST_OVER_ESTIMATE : (MOST[figure] ?? 0) * Math.max(1, slower);
    console.info(`${figure}: ${dearest.toPrecision(3)} of ${allowed.toPrecision(3)}, ${most.length} characters`);
    expect(dearest, `${figure} of ${most.slice(0, 2_000)}`).toBeLessThanOrEqual(allowed);
  }
};

/** Other processes may take as much of the machine, and more. */
const patient = 8 * budget.searchMs + 120_000;

describe('what a worker does costs no more than it may, and no more than four times its estimate', () => {
  test.each(Object.entries(commandSeeds))('%s', (_, seeds) => holds(commandSubject(sandbox, seeds, slower)), patient);
});

describe('what an API does with a body costs no more than it may', () => {
  test.each(Object.entries(bodySubjects))('%s', (_, subject) => holds(subject), patient);
});

test('what an API does with a head costs no more than it may', () => holds(headSubject), patient);
