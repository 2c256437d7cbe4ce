import { rateSpectrum } from '../workflows/domain/rating/rate-spectrum';
import type { Threshold } from '../workflows/domain/threshold/threshold';
import type { MeasurementOf } from '../workflows/domain/measurement/measurement';
import { LINES, orders6205, spectrumOf } from '../scripts/synthesis/machine';
import { randomOf } from '../scripts/synthesis/random';
import { measurementOf } from '../scripts/synthesis/trial';

/** How long one rating of 50 bands and 20 HALs by a spectrum of 12,800 lines takes: `npx tsx bench/rating.ts`. */

const ROUNDS = 300;
const WARM_UP = 50;

const makers = ['SKF 6205', 'SKF 6203', 'MB ER-16K', 'LDK UER204', 'Rexnord ZA-2115'] as const;
const labels = ['BPFO', 'BPFI', 'BSF', 'FTF'] as const;

const bands = Array.from({ length: 50 }, (_, index) => ({
  minFrequency: { value: index * 20, valueType: 1 as const },
  maxFrequency: { value: 1_000 + index * 20, valueType: 1 as const },
}));
const fourOf = (names: ReadonlyArray<string>) =>
  names.flatMap((name) =>
    labels.map((label) => {
      const [manufacturer = '', modelNumber = ''] = name.split(' ');
      return { label, bearing: { manufacturer, modelNumber }, upperAlert: 3.5, upperDanger: 5 };
    }),
  );
const cases: ReadonlyArray<readonly [string, Threshold]> = [
  ['50 bands', { bandAlarms: bands }],
  ['20 HALs on one bearing', { halAlarms: fourOf(Array<string>(5).fill('SKF 6205')) }],
  ['50 bands and 20 HALs, four on each of five bearings', { bandAlarms: bands, halAlarms: fourOf(makers) }],
  ['20 multiples of the shaft', { halAlarms: Array.from({ length: 20 }, (_, n) => ({ label: `${n + 1}x RPM` })) }],
];

const spectrum = (snr: number): MeasurementOf<'SPECTRUM'> => {
  const shaftHz = 24.7;
  return measurementOf(
    shaftHz,
    spectrumOf({ shaftHz, orders: orders6205, fault: 'bpfi', slip: -0.008, snr }, randomOf(1)),
  );
};

/** Milliseconds of processor time a call, which other programs on the machine lengthen less than they do the clock's. */
const millisecondsOf = (work: () => unknown): ReadonlyArray<number> =>
  Array.from({ length: WARM_UP + ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  })
    .slice(WARM_UP)
    .sort((one, other) => one - other);

const share = (sorted: ReadonlyArray<number>, of: number): string =>
  (sorted[Math.floor(of * (sorted.length - 1))] ?? NaN).toFixed(2).padStart(7);

const healthy = spectrum(-Infinity);
const faulty = spectrum(30);
process.stdout.write(`${LINES} lines, ${ROUNDS} rounds each; milliseconds of processor time: median, 95 %\n`);
for (const [name, threshold] of cases) {
  for (const [state, measurement] of [
    ['healthy', healthy],
    ['faulty', faulty],
  ] as const) {
    const sorted = millisecondsOf(() => rateSpectrum(threshold, [], measurement));
    process.stdout.write(`${share(sorted, 0.5)} ${share(sorted, 0.95)}  ${name}, ${state}\n`);
  }
}
