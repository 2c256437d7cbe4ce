import { decibelsOf, type ExaminedHal } from './examine-hal';

/** What a HAL found and what speaks against it, in sentences: tables, pictures and the operators' page show the same ones. */
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

/** A number of at most so many significant digits. */
const significant = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));
