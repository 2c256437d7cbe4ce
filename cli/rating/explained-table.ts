import { statusNames } from '../../workflows/domain/alarm/status';
import type { ExaminedHal } from '../../workflows/domain/rating/vibration/hal/examine-hal';
import { explainHal } from '../../workflows/domain/rating/vibration/hal/explain-hal';
import { printable } from '../failure';
import { nameOf, significant, tableOf } from '../table';
import type { ExplainedPart } from './explain-rating';

/** The parts of one rating as a table: value, region, and the limit that decided. Below it, what each HAL found. */
export const explainedTable = (parts: ReadonlyArray<ExplainedPart>): ReadonlyArray<string> => [
  ...tableOf([
    ['PART', 'STATUS', 'VALUE', 'LIMIT', 'REGION'],
    ...parts.map(({ part, label, status, value, unit, limit, region, why }) => [
      nameOf({ part, label }),
      statusNames[status],
      value === undefined ? '-' : printable([shown(value), ...(unit === undefined ? [] : [unit])].join(' ')),
      limit === undefined ? '-' : `${limit.name} ${shown(limit.value)}`,
      printable(why ?? region ?? '-'),
    ]),
  ]),
  ...parts.flatMap((part) => (part.hal === undefined ? [] : ['', nameOf(part), ...halLines(part.hal)])),
];

const halLines = (hal: ExaminedHal): ReadonlyArray<string> => {
  const row = (title: string, cellOf: (harmonic: ExaminedHal['harmonics'][number]) => string) => [
    title,
    ...hal.harmonics.map(cellOf),
  ];
  return [
    ...tableOf([
      row('HARMONIC', ({ number }) => String(number)),
      row('HZ', ({ hz }) => significant(hz, 5)),
      row('AMPLITUDE', ({ amplitude }) => significant(amplitude, 3)),
      row('FLOOR', ({ noiseFloor }) => significant(noiseFloor, 3)),
      row('DB', ({ decibels }) => decibels.toFixed(1)),
    ]),
    ...explainHal(hal),
  ].map((line) => `  ${printable(line)}`);
};

const shown = (value: number): string => significant(value, 6);
