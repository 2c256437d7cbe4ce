import type { HalPart } from '../../workflows/domain/parts';
import { rateSpectrum } from '../../workflows/domain/rating/rate-spectrum';
import { orders6205, spectrumOf } from '../synthesis/machine';
import { randomOf } from '../synthesis/random';
import { faults, measurementOf, trial } from '../synthesis/trial';

/** What many trials at one signal-to-noise ratio gave. */
export interface Rates {
  readonly snr: number;
  readonly cases: number;
  /** The index of the HAL of the fault, one a case, rising. */
  readonly right: ReadonlyArray<number>;
  /** The indices of its siblings, three a case, rising. */
  readonly others: ReadonlyArray<number>;
}

/** Trials of each of the four faults, `each` of them. */
export const ratesAt = (snr: number, each: number): Rates => {
  const found = faults.flatMap((fault, place) =>
    Array.from({ length: each }, (_, index) => {
      const parts = trial(10_000 + index * faults.length + place, fault, snr);
      return {
        right: indexOf(parts[place]),
        others: parts.filter((_part, other) => other !== place).map(indexOf),
      };
    }),
  );
  return {
    snr,
    cases: found.length,
    right: rising(found.map(({ right }) => right)),
    others: rising(found.flatMap(({ others }) => others)),
  };
};

/** The indices of `labels` in noise and unbalance alone, each over `cases` machines: `[label, harmonics, indices]`. */
export const noiseOf = (labels: ReadonlyArray<string>, cases: number) => {
  const shaftHz = 30;
  const rated = Array.from({ length: cases }, (_, seed) => {
    const y = spectrumOf({ shaftHz, orders: orders6205, slip: 0, snr: 0 }, randomOf(20_000 + seed));
    return rateSpectrum({ halAlarms: labels.map((label) => ({ label })) }, [], measurementOf(shaftHz, y)).hals ?? [];
  });
  return labels.map((label, place) => ({
    label,
    harmonics: rated[0]?.[place]?.numberOfHarmonicsUsed ?? 0,
    indices: rising(rated.map((parts) => indexOf(parts[place]))),
  }));
};

/** The indices of a BPFO HAL whose bearing slips by `slip`, over `cases` machines. */
export const slippingBy = (slip: number, cases: number, snr: number): ReadonlyArray<number> => {
  const shaftHz = 27;
  const hal = { label: 'BPFO', bearing: { manufacturer: 'SKF', modelNumber: '6205' } };
  return rising(
    Array.from({ length: cases }, (_, seed) => {
      const machine = { shaftHz, orders: orders6205, slip, snr, fault: 'bpfo' } as const;
      const y = spectrumOf(machine, randomOf(30_000 + seed));
      return indexOf(rateSpectrum({ halAlarms: [hal] }, [], measurementOf(shaftHz, y)).hals?.[0]);
    }),
  );
};

export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values[Math.round(share * (values.length - 1))] ?? NaN;

const indexOf = (part: HalPart | undefined): number => part?.halIndex ?? 0;

const rising = (values: ReadonlyArray<number>): ReadonlyArray<number> => [...values].sort((one, other) => one - other);
