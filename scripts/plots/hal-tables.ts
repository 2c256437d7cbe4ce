import { ALERT_LIMIT, DANGER_LIMIT } from '../synthesis/trial';
import { noiseOf, quantile, slippingBy, type Rates } from './hal-trials';

const CASES = 40;
const SLIP_SNR = 24;

/** The tables of docs/hal.md in Markdown, by the names of their places. */
export const tablesOf = (rates: ReadonlyArray<Rates>): Readonly<Record<string, string>> => ({
  detection: table(
    [
      'first harmonic above the noise',
      'cases',
      `fault's own HAL from ${ALERT_LIMIT}`,
      `from ${DANGER_LIMIT}`,
      `another HAL from ${ALERT_LIMIT}`,
      'its own index: 5 %, median, 95 %',
      "the others': median, greatest",
    ],
    rates.map(({ snr, cases, right, others }) => [
      snr === -Infinity ? 'no fault' : `${snr} dB`,
      String(cases),
      percent(right, ALERT_LIMIT),
      percent(right, DANGER_LIMIT),
      percent(others, ALERT_LIMIT),
      [0.05, 0.5, 0.95].map((share) => quantile(right, share).toFixed(1)).join(', '),
      [0.5, 1].map((share) => quantile(others, share).toFixed(1)).join(', '),
    ]),
  ),
  noise: table(
    ['label', 'harmonics inside', 'index in noise: median', '95 %', 'greatest of 40'],
    noiseOf(['1x', '4x', '12 TOOTH', '55 TOOTH', '6.5x', '13.3x', '22.1x', '33.1x', '60.3x'], CASES).map(
      ({ label, harmonics, indices }) => [
        label,
        String(harmonics),
        ...[0.5, 0.95, 1].map((share) => quantile(indices, share).toFixed(1)),
      ],
    ),
  ),
  slip: table(
    ['slip', 'index: least', 'median', `from ${ALERT_LIMIT}`],
    [-0.03, -0.025, -0.02, -0.01, 0, 0.01, 0.02, 0.025, 0.03].map((slip) => {
      const indices = slippingBy(slip, CASES / 2, SLIP_SNR);
      return [
        `${(slip * 100).toFixed(1)} %`,
        ...[0, 0.5].map((share) => quantile(indices, share).toFixed(1)),
        percent(indices, ALERT_LIMIT),
      ];
    }),
  ),
});

const percent = (values: ReadonlyArray<number>, limit: number): string =>
  `${((100 * values.filter((value) => value >= limit).length) / values.length).toFixed(1)} %`;

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
