import { describe, expect, test } from 'vitest';
import { faults, trial } from '../../../../../support/synthesis/trial';

/** Fifty seeds of each of four faults, whose first harmonic stands 22 dB out of the noise. */
const CASES = 200;
const SNR = 22;

describe('four HALs that share a bearing', () => {
  test.each(faults)('a fault in noise raises %s, and not the others', { timeout: 120_000 }, (fault) => {
    const wrong = Array.from({ length: CASES / faults.length }, (_, index) => 1_000 + index)
      .map((seed) => ({ seed, raised: raisedBy(trial(seed, fault, SNR)) }))
      .filter(({ raised }) => raised.join() !== fault);
    expect(wrong).toEqual([]);
  });

  test.each(faults)(
    'a loud fault raises %s, and not the others that share its lines',
    { timeout: 120_000 },
    (fault) => {
      const wrong = Array.from({ length: 15 }, (_, index) => 3_000 + index)
        .map((seed) => ({ seed, raised: raisedBy(trial(seed, fault, 30)) }))
        .filter(({ raised }) => raised.join() !== fault);
      expect(wrong).toEqual([]);
    },
  );

  test('a healthy bearing beside a strong unbalance raises none', { timeout: 120_000 }, () => {
    const wrong = Array.from({ length: 50 }, (_, index) => 5_000 + index)
      .map((seed) => ({ seed, raised: raisedBy(trial(seed, undefined, 0)) }))
      .filter(({ raised }) => raised.length > 0);
    expect(wrong).toEqual([]);
  });
});

const raisedBy = (parts: ReturnType<typeof trial>): ReadonlyArray<string> =>
  faults.filter((_, index) => (parts[index]?.status ?? 0) >= 3);
