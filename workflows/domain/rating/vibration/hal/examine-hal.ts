import { amplitudeAt, valueAt, type Lines } from '../spectral-lines';
import type { Found } from './discriminate';
import { excessOf, type ByLine } from './excess';
import { harmonicNumbers } from './comb';
import { sidesOf } from './family';
import { halConstants } from './hal-constants';

/** Fewer lines between harmonics than this, and sidebands and deviation are told badly. */
const COARSE_LINES = 12;

/** A natural logarithm of amplitudes in decibels. */
export const decibelsOf = (logarithm: number): number => (20 / Math.LN10) * logarithm;

/** What a HAL found that its rating did not need, for people who look at it. */
export const examineHal = (hal: Found) => {
  const { rated, spectrum } = hal;
  const { lines } = spectrum;
  const { spacing, shaftHz } = lines;
  const { family, expected, found, index, score, rival, rivalScore } = rated;
  const inside = harmonicNumbers.filter((number) => {
    const line = Math.round(number * found + spectrum.origin);
    return line >= 0 && line < lines.hz.length;
  });
  return {
    name: family.name,
    factor: family.factor,
    /** By the speed given. */
    shaftHz,
    index,
    /** The mean logarithm by which the harmonics stand out, and that of the best other fundamental. */
    score,
    rivalScore,
    harmonics: inside.map((number) => harmonicAt(hal, rated.combs.counted, number, number * found)),
    /** The shaft's frequency by its own harmonics: `shaftHz` where none stands out. */
    turnHz: spectrum.turn === spectrum.shaft ? shaftHz : spectrum.turn * spacing,
    expectedHz: expected * spacing,
    foundHz: found * spacing,
    /** How far above the expected frequency it was found, as a share of that; negative: below. */
    deviation: found / expected - 1,
    rivalHz: rival * spacing,
    /** Sidebands that stand out, by the number of their harmonic; `side` counts their distance, -2 to 2. */
    sidebands: inside.flatMap((number) =>
      sidesOf(family)
        .map((apart) => ({
          ...harmonicAt(hal, spectrum.excess, number, number * found + apart * spectrum.turn),
          side: apart / family.modulation,
        }))
        .filter(({ decibels }) => decibels >= decibelsOf(halConstants.evident)),
    ),
    ...foundAlone(hal),
    /** Lines from harmonic to harmonic; too few blur them, and then so many lines of this range would not. */
    linesApart: found,
    ...(found < COARSE_LINES && { linesNeeded: Math.ceil((lines.hz.length * COARSE_LINES) / found) }),
  };
};
export type ExaminedHal = Readonly<ReturnType<typeof examineHal>>;

/** Where the family stands out most while nothing is explained, with how many lines, and which other families explain those. */
const foundAlone = ({ alone, spectrum, families, explainedBy }: Found) => {
  const { family, found, compared } = alone;
  const lines = compared.filter((line) => valueAt(spectrum.excess, line) >= halConstants.evident);
  const names = new Set(families.map(({ name }) => name));
  names.delete(family.name);
  return {
    alone: { hz: found * spectrum.lines.spacing, lines: lines.length },
    explainedBy: Array.from(names, (name) => ({
      name,
      lines: lines.filter((line) => explainedBy[line] === name).length,
    })).filter((other) => other.lines > 0),
  };
};

/** A harmonic, or a sideband of one, where it was looked for, and the line nearest to that; `why` it is no evidence. */
const harmonicAt = ({ spectrum, explainedBy }: Found, counted: ByLine, number: number, place: number) => {
  const { lines, floors, excess, origin } = spectrum;
  const line = Math.round(place + origin);
  const [amplitude, noiseFloor] = [amplitudeAt(lines, line), valueAt(floors, line)];
  const why =
    noiseFloor > 0 ? whyNot(valueAt(excess, line), valueAt(counted, line), explainedBy[line]) : 'no noise floor';
  return {
    ...{ number, hz: place * lines.spacing, line, amplitude, noiseFloor },
    decibels: noiseFloor > 0 ? decibelsOf(Math.log(amplitude / noiseFloor)) : 0,
    ...(why !== undefined && { why }),
  };
};

/** Why a harmonic is weak: its height still counts in the score, whatever it is. */
export const WEAK = 'does not stand out';

const whyNot = (excess: number, counted: number, by: string | undefined): string | undefined => {
  const { evident } = halConstants;
  if (excess < evident) return WEAK;
  if (counted >= evident) return undefined;
  return by === undefined ? 'in the shadow of stronger lines' : `explained by ${by}`;
};

/** The noise floor of each line; 0 where there is none. */
export const noiseFloorOf = (lines: Lines): ReadonlyArray<number> => Array.from(excessOf(lines).floors);
