import { describe, expect, test } from 'vitest';
import { faults, trial } from '../../../../../support/synthesis/trial';

/** By how many decibels the first harmonic of the fault stands out of the noise, and the seeds of the trials. */
const rows = [
  ['in noise', 22, 1_000, 50],
  ['that is loud', 30, 3_000, 15],
] as const;

describe('four HALs that share a bearing', () => {
  test.each(faults.flatMap((fault) => rows.map((row) => [fault, ...row] as const)))(
    'the fault %s %s raises its HAL, and not the others that share its lines',
    (fault, _name, decibels, firstSeed, count) => {
      const raised = Array.from({ length: count }, (_, index) => raisedBy(trial(firstSeed + index, fault, decibels)));
      expect(raised).toEqual(Array(count).fill([fault]));
    },
  );

  test('a healthy bearing beside a strong unbalance raises none', () => {
    const raised = Array.from({ length: 50 }, (_, index) => raisedBy(trial(5_000 + index, undefined, 0)));
    expect(raised).toEqual(Array(50).fill([]));
  });
});

const raisedBy = (parts: ReturnType<typeof trial>): ReadonlyArray<string> =>
  faults.filter((_, index) => (parts[index]?.status ?? 0) >= 3);
