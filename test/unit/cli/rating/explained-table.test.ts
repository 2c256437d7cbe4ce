import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { halExample } from '../../../../dev/pictures/spectra';
import { projectRoot } from '../../../../dev/stack/project-root';
import { examineSpectrum } from '../../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../../workflows/domain/rating/rating-rules';
import { decibelsOf } from '../../../../workflows/domain/rating/vibration/hal/examine-hal';
import { halConstants } from '../../../../workflows/domain/rating/vibration/hal/hal-constants';
import { explainHal } from '../../../../workflows/domain/rating/vibration/hal/explain-hal';
import { randomOf } from '../../../support/synthesis/random';
import type { Threshold } from '../../../../workflows/domain/threshold/threshold';
import { rightOf } from '../../../support/either';
import { spectrumOf } from '../../../support/packed-lines';

const SHAFT = 25;
const skf6205 = { manufacturer: 'SKF', modelNumber: '6205' };
const skf6203 = { manufacturer: 'SKF', modelNumber: '6203' };

/** Sentences of each HAL of a spectrum of noise in which `tones` stand 20 times as high. */
const explained = (
  halAlarms: ReadonlyArray<object>,
  { tones, lines, spacing }: { tones: ReadonlyArray<number>; lines: number; spacing: number },
): ReadonlyArray<string> => {
  const random = randomOf(7);
  const heights = new Map(tones.map((hz) => [Math.round(hz / spacing), 20]));
  const coordinates = Array.from({ length: lines }, (_, at) => ({
    x: at * spacing,
    y: (heights.get(at) ?? 1) * (0.8 + 0.4 * random()),
  }));
  const { hals } = rightOf(examineSpectrum(ratingRules({ halAlarms } as Threshold), spectrumOf(coordinates)));
  return hals.flatMap((hal) => explainHal(rightOf(hal)));
};

const times = (order: number, count: number, side = 0): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => ((at + 1) * order + side) * SHAFT);

test('where it was expected by the speed, where it was found, and how far it slips', () => {
  const [found, standsOut] = explained([{ label: 'BPFO', bearing: skf6205 }], {
    ...{ tones: times(3.5848 * 1.01, 10), lines: 4_000, spacing: 0.25 },
  });
  expect(found).toBe('expected at 89.619 Hz (3.5848 x 25 Hz by the speed given), found at 90.5 Hz, 0.98 % above');
  expect(standsOut).toMatch(
    /^its harmonics exceed the noise floor by 2\d\.\d dB on average; the best rival, [\d.]+ Hz, by -?\d+\.\d dB$/u,
  );
});

test('a ball strikes twice a turn', () => {
  const [found] = explained([{ label: 'BSF', bearing: skf6205 }], {
    ...{ tones: times(2 * 2.3567, 8), lines: 4_000, spacing: 0.25 },
  });
  expect(found).toContain('(2 x 2.3567 x 25 Hz by the speed given)');
});

test('where the shaft turns by its own harmonics, and nothing of it where none stands out', () => {
  const hals = [{ label: 'BPFO', bearing: skf6205 }];
  const shaft = times(1.008, 12);
  const sentences = explained(hals, { tones: shaft, lines: 4_000, spacing: 0.25 });
  expect(sentences).toContainEqual(expect.stringMatching(/^the shaft turns at 25\.[12]\d* Hz by its own harmonics$/u));
  expect(explained(hals, { tones: [], lines: 4_000, spacing: 0.25 }).join()).not.toContain('own harmonics');
});

test('sidebands, by side and with their distance', () => {
  const tones = [...times(5.4152, 3), ...times(5.4152, 2, 1), ...times(5.4152, 3, -2)];
  const sentences = explained([{ label: 'BPFI', bearing: skf6205 }], { tones, lines: 4_000, spacing: 0.25 });
  expect(sentences).toContainEqual(
    expect.stringMatching(/^sidebands 2[45](?:\.\d+)? Hz apart: -2 beside 1, 2, 3; \+1 beside 1, 2$/u),
  );
});

test('what else explains its harmonics, which are weak, and which do not count for what reason', () => {
  const hals = [{ label: 'BPFO', bearing: skf6205 }, { label: '1.7924x' }];
  const sentences = explained(hals, { tones: times(3.5848, 10), lines: 4_000, spacing: 0.25 });
  expect(sentences).toContain('harmonics that do not stand out, below 8.7 dB: 1, 3, 5, 7, 9');
  expect(sentences).toContain('harmonics that do not count: 2, 4, 6, 8, 10 (explained by BPFO of SKF 6205)');
  expect(sentences).toContain('BPFO of SKF 6205 explains 5 of 5 lines that stand out at 44.8 Hz and its multiples');
  expect(sentences.filter((one) => one.includes('explains'))).toHaveLength(1);
});

test('a coarse resolution is named with the lines that would be needed, a fine one is not', () => {
  const hal = { label: 'BPFO', bearing: skf6203 };
  const bpfo = 3.0531;
  const coarse = explained([hal], { tones: times(bpfo, 10), lines: 200, spacing: 10 });
  expect(coarse).toContainEqual(
    expect.stringMatching(/^coarse: its harmonics lie 7\.\d lines apart; measure this range with 3\d\d lines$/u),
  );
  expect(explained([hal], { tones: times(bpfo, 10), lines: 2_000, spacing: 1 }).join()).not.toContain('coarse');
});

test('the worked example of docs/hal.md is what the code finds', () => {
  const { threshold, measurement } = halExample();
  const [, bpfi] = rightOf(examineSpectrum(ratingRules(threshold), measurement)).hals;
  const { score, rivalScore, index } = rightOf(bpfi!);
  const page = readFileSync(join(projectRoot, 'docs/hal.md'), 'utf8');
  const inDecibels = (one: number): string => decibelsOf(one).toFixed(3);
  const { rivalWeight, indexPerLead, indexWithoutLead } = halConstants;
  const lead = inDecibels(score - rivalWeight * rivalScore);
  expect(page).toContain(
    `the lead is ${inDecibels(score)} - ${rivalWeight} × ${inDecibels(rivalScore)} = ${lead} dB. ` +
      `The index is ${indexWithoutLead} + 1.5 × ${lead} / ${inDecibels(1.5 / indexPerLead)} = ${index.toFixed(2)}.`,
  );
  expect(page).toContain(`BPFI reaches ${decibelsOf(score).toFixed(1)} dB`);
  expect(page).toContain(`its best rival ${decibelsOf(rivalScore).toFixed(1)} dB`);
});
