import { statusNames } from '../../workflows/domain/alarm/status';
import { decibelsOf, type ExaminedHal } from '../../workflows/domain/rating/vibration/hal/examine-hal';
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

/** What a HAL found and what speaks against it, in sentences: text and picture show the same ones. */
export const explainHal = (hal: ExaminedHal): ReadonlyArray<string> => [
  whereFound(hal),
  ...howTheShaftTurns(hal),
  whatStandsOut(hal),
  ...whatDoesNotCount(hal),
  ...whichSidebands(hal),
  ...whatElseExplains(hal),
  ...howCoarse(hal),
];

const whereFound = ({ expectedHz, factor, shaftHz, foundHz, slip }: ExaminedHal): string => {
  const strikes = Math.round(expectedHz / (factor * shaftHz));
  const orders = `${strikes === 1 ? '' : `${strikes} x `}${significant(factor, 5)} x ${hertz(shaftHz)}`;
  const share = significant(100 * slip, 2);
  return `expected at ${hertz(expectedHz)} (${orders} by the speed given), found at ${hertz(foundHz)}: slip ${share} %`;
};

const howTheShaftTurns = ({ shaftHz, turnHz }: ExaminedHal): ReadonlyArray<string> =>
  turnHz === shaftHz ? [] : [`the shaft turns at ${hertz(turnHz)} by its own harmonics`];

const whatStandsOut = ({ score, rivalScore, rivalHz }: ExaminedHal): string => {
  const rival = rivalHz > 0 ? `the best rival, ${hertz(rivalHz)}, by ${decibels(rivalScore)}` : 'no rival does';
  return `its harmonics exceed the noise floor by ${decibels(score)} on average; ${rival}`;
};

/** The harmonics that do not count by their reasons, each reason once. */
const whatDoesNotCount = ({ harmonics }: ExaminedHal): ReadonlyArray<string> => {
  const reasons = [...new Set(harmonics.flatMap(({ why }) => why ?? []))];
  const numbersOf = (reason: string): string =>
    harmonics
      .filter(({ why }) => why === reason)
      .map(({ number }) => number)
      .join(', ');
  const listed = reasons.map((reason) => `${numbersOf(reason)} (${reason})`);
  return listed.length === 0 ? [] : [`harmonics that do not count: ${listed.join('; ')}`];
};

/** By side, the harmonics beside which a sideband stands out, and how far away. */
const whichSidebands = ({ sidebands, foundHz }: ExaminedHal): ReadonlyArray<string> => {
  const [first] = sidebands;
  if (first === undefined) return [];
  const sides = [...new Set(sidebands.map(({ side }) => side))].sort((one, other) => one - other);
  const listed = sides.map((side) => {
    const beside = sidebands.filter((one) => one.side === side).map(({ number }) => number);
    return `${side > 0 ? '+' : ''}${side} beside ${beside.join(', ')}`;
  });
  return [`sidebands ${hertz((first.hz - first.number * foundHz) / first.side)} apart: ${listed.join('; ')}`];
};

const whatElseExplains = ({ explainedBy, alone }: ExaminedHal): ReadonlyArray<string> =>
  explainedBy.map(
    ({ name, lines }) =>
      `${name} explains ${lines} of ${alone.lines} lines that stand out at ${hertz(alone.hz)} and its multiples`,
  );

const howCoarse = ({ linesApart, linesNeeded }: ExaminedHal): ReadonlyArray<string> =>
  linesNeeded === undefined
    ? []
    : [
        `coarse: its harmonics lie ${significant(linesApart, 2)} lines apart; measure this range with ${linesNeeded} lines`,
      ];

const hertz = (value: number): string => `${significant(value, 5)} Hz`;

const decibels = (logarithm: number): string => `${decibelsOf(logarithm).toFixed(1)} dB`;
