import { statusNames } from '../../workflows/domain/alarm/status';
import type { ExaminedHal } from '../../workflows/domain/rating/vibration/hal/examine-hal';
import { printable } from '../printable';
import { tableOf } from '../table';
import type { BackTestedPart } from './back-test';
import { explainHal } from './explain-hal';
import type { ExplainedPart } from './explain-rating';
import { significant } from './significant';

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

/** What a back-test found as two tables: each part, and each time in which one alarmed. */
export const backTestTables = (parts: ReadonlyArray<BackTestedPart>): ReadonlyArray<string> => {
  const episodes = parts.flatMap((part) => part.episodes);
  return [
    ...tableOf([
      ['PART', 'NO_DATA', 'GOOD', 'ALERT', 'DANGER', 'TIMES', 'TIME IN ALERT', 'TIME IN DANGER'],
      ...parts.map((part) => [
        nameOf(part),
        ...([1, 2, 3, 4] as const).map((status) => String(part.counts[status])),
        String(part.episodes.length),
        percent(part.shares.alert),
        percent(part.shares.danger),
      ]),
    ]),
    ...(episodes.length === 0
      ? []
      : [
          '',
          ...tableOf([
            ['PART', 'STATUS', 'FROM', 'TO', 'MEASUREMENTS'],
            ...episodes.map((episode) => [
              nameOf(episode),
              statusNames[episode.status],
              new Date(episode.from).toISOString(),
              episode.to === undefined ? 'the end' : new Date(episode.to).toISOString(),
              String(episode.measurements),
            ]),
          ]),
        ]),
  ];
};

const nameOf = ({ part, label }: { readonly part: string; readonly label?: string | undefined }): string =>
  label === undefined || label === '' ? part : `${part} ${printable(label)}`;

const shown = (value: number): string => significant(value, 6);

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
