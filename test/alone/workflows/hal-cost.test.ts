import { expect, test } from 'vitest';
import { packLines } from '../../../workflows/domain/measurement/packed-lines';
import { commandOf, heavyLines, heavyThreshold, ownBearings, spectrumOf } from '../../cost/reference';
import { createDomainSandbox } from '../../cost/sandbox';

/*
 * What 100 HALs of as many bearings cost with 25,600 lines in the sandbox of a worker: the figures of
 * docs/contributing/benchmarks.md.
 */

const ROUNDS = 100;
const [LINES_PER_HZ, SHAFT_HZ] = [16, 25];

/** The reference machine with a fault of one outer ring, 0.7 % below its frequency. */
const faultyLines = () => {
  const lines = heavyLines();
  const fault = (ownBearings[4]?.orders.bpfo ?? NaN) * SHAFT_HZ * 0.993;
  for (let number = 1; number <= 10; number += 1) {
    const at = Math.round(number * fault * LINES_PER_HZ);
    lines[at] = { x: at / LINES_PER_HZ, y: 3 };
  }
  return lines;
};

test('100 HALs', async () => {
  const sandbox = await createDomainSandbox();
  const { threshold, bearings } = heavyThreshold;
  const setHals = commandOf('setThreshold', { threshold: { halAlarms: threshold.halAlarms }, bearings });
  const setNone = commandOf('setThreshold', {
    threshold: { halAlarms: threshold.halAlarms.slice(0, 0) },
    bearings: [],
  });
  for (const [machine, lines] of Object.entries({ 'shaft alone': heavyLines(), 'with a fault': faultyLines() })) {
    const measured = commandOf('recordMeasurement', { measurement: spectrumOf({ lines: packLines(lines) }) });
    const leastOf = (set: string): number =>
      Math.min(
        ...Array.from({ length: ROUNDS }, () => {
          sandbox.newNode();
          sandbox.take(set);
          return sandbox.take(measured).ms;
        }),
      );
    const [with100, without] = [leastOf(setHals), leastOf(setNone)];
    console.info(
      `${machine}: ${(with100 - without).toFixed(1)} ms for 100 HALs, beside ${without.toFixed(1)} ms for the spectrum itself`,
    );
    expect(with100).toBeGreaterThan(without);
  }
});
