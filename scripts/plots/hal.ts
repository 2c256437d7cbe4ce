import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { svgOf, type Chart } from './chart';
import { example, ratiosChart, spectrumChart } from './hal-example';
import { tablesOf } from './hal-tables';
import { quantile, ratesAt, type Rates } from './hal-trials';

/**
 * Writes the plots and the tables of docs/hal.md: `npx tsx scripts/plots/hal.ts`, some minutes.
 *
 * All of it is seeded: the same code writes the same files.
 */

const docs = join(__dirname, '..', '..', 'docs');
const EACH = 40;

const detectionChart = (rates: ReadonlyArray<Rates>): Chart => {
  const through = (values: (rate: Rates) => number) => rates.map((rate) => [rate.snr, values(rate)] as const);
  return {
    title: 'The index by the strength of the fault: four faults, 40 machines each',
    x: { name: 'first harmonic above the noise, dB', from: 6, to: 40, ticks: [6, 9, 12, 15, 18, 21, 24, 30, 40] },
    y: { name: 'halIndex', from: 1, to: 100, ticks: [1, 2, 3.5, 5, 10, 20, 50, 100], logarithmic: true },
    series: [
      {
        kind: 'line',
        colour: '#c62828',
        name: "the fault's own HAL, median",
        points: through((rate) => quantile(rate.right, 0.5)),
      },
      { kind: 'line', colour: '#ef9a9a', name: 'its least 5 %', points: through((rate) => quantile(rate.right, 0.05)) },
      {
        kind: 'line',
        colour: '#607d8b',
        name: 'the other three, median',
        points: through((rate) => quantile(rate.others, 0.5)),
      },
      { kind: 'line', colour: '#37474f', name: 'their greatest', points: through((rate) => quantile(rate.others, 1)) },
    ],
  };
};

const healthy = ratesAt(-Infinity, EACH);
const rates = [6, 9, 12, 15, 18, 21, 24, 30, 40].map((snr) => ratesAt(snr, EACH));
const shown = example();
const plots: Readonly<Record<string, Chart>> = {
  'hal-spectrum': spectrumChart(shown),
  'hal-ratios': ratiosChart(shown),
  'hal-detection': detectionChart(rates),
};
for (const [name, chart] of Object.entries(plots)) writeFileSync(join(docs, 'plots', `${name}.svg`), svgOf(chart));

const page = join(docs, 'hal.md');
const written = Object.entries(tablesOf([healthy, ...rates])).reduce(
  (text, [name, table]) =>
    text.replace(
      new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`, 'u'),
      (_all, start: string, end: string) => `${start}\n${table}\n\n${end}`,
    ),
  readFileSync(page, 'utf8'),
);
writeFileSync(page, written);
for (const { fault, factor, hz, standing } of shown.found)
  process.stdout.write(
    `${fault} ${factor.toFixed(4)} ${hz.toFixed(2)} Hz, found at ${standing.hz.toFixed(2)} Hz, index ${standing.index.toFixed(2)} of ${standing.ratios.map((ratio) => ratio.toFixed(1)).join(' ')}\n`,
  );
