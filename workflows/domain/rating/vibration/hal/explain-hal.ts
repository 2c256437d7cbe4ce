import { decibelsOf, WEAK, type ExaminedHal } from './examine-hal';
import { halConstants } from './hal-constants';

/** Sentences on what a HAL found and what speaks against it, for tables, pictures and the operators' page. */
export const explainHal = (hal: ExaminedHal): ReadonlyArray<string> => {
  const { shaftHz, turnHz, score, rivalScore, rivalHz, explainedBy, alone, linesApart, linesNeeded } = hal;
  const rival = rivalHz > 0 ? `the best rival, ${hertz(rivalHz)}, by ${decibels(rivalScore)}` : 'no rival does';
  return [
    whereFound(hal),
    ...(turnHz === shaftHz ? [] : [`the shaft turns at ${hertz(turnHz)} by its own harmonics`]),
    `its harmonics exceed the noise floor by ${decibels(score)} on average; ${rival}`,
    ...whatIsNoEvidence(hal),
    ...whichSidebands(hal),
    ...explainedBy.map(
      ({ name, lines }) =>
        `${name} explains ${lines} of ${alone.lines} lines that stand out at ${hertz(alone.hz)} and its multiples`,
    ),
    ...(linesNeeded === undefined ? [] : [coarse(linesApart, linesNeeded)]),
  ];
};

const whereFound = ({ expectedHz, factor, shaftHz, foundHz, deviation }: ExaminedHal): string => {
  const strikes = Math.round(expectedHz / (factor * shaftHz));
  const orders = `${strikes === 1 ? '' : `${strikes} x `}${significant(factor, 5)} x ${hertz(shaftHz)}`;
  const share = `${significant(100 * Math.abs(deviation), 2)} % ${deviation < 0 ? 'below' : 'above'}`;
  return `expected at ${hertz(expectedHz)} (${orders} by the speed given), found at ${hertz(foundHz)}, ${share}`;
};

/** The harmonics that are weak, and those that do not count, grouped by their reasons. */
const whatIsNoEvidence = ({ harmonics }: ExaminedHal): ReadonlyArray<string> => {
  const numbersOf = (reason: string): string =>
    harmonics
      .filter(({ why }) => why === reason)
      .map(({ number }) => number)
      .join(', ');
  const [weak, reasons] = [numbersOf(WEAK), new Set(harmonics.flatMap(({ why }) => why ?? []))];
  reasons.delete(WEAK);
  const listed = Array.from(reasons, (reason) => `${numbersOf(reason)} (${reason})`);
  return [
    ...(weak === '' ? [] : [`harmonics that do not stand out, below ${decibels(halConstants.evident)}: ${weak}`]),
    ...(listed.length === 0 ? [] : [`harmonics that do not count: ${listed.join('; ')}`]),
  ];
};

/** The distance between sidebands and, for each place of a sideband (-2 to 2), the harmonics beside which it stands out. */
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

const coarse = (linesApart: number, linesNeeded: number): string =>
  `coarse: its harmonics lie ${significant(linesApart, 2)} lines apart; measure this range with ${linesNeeded} lines`;

const hertz = (value: number): string => `${significant(value, 5)} Hz`;

const decibels = (logarithm: number): string => `${decibelsOf(logarithm).toFixed(1)} dB`;

/** `value` with at most `digits` significant digits. */
const significant = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));
