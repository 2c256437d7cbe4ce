import { hardLimits } from '../../../limits';
import { amplitudeAt, valueAt, type Lines } from '../spectral-lines';
import type { Found } from './discriminate';
import { excessOf, type ByLine } from './excess';
import { harmonicNumbers } from './comb';
import { sidesOf } from './family';
import { halConstants } from './hal-constants';

/** With fewer lines between harmonics than this, sidebands and deviation are unreliable. */
const COARSE_LINES = 12;

/** Decibels over the noise floor are cut to plus or minus this: no instrument has such a range, and 0 would give -Infinity. */
const WIDEST_DB = 200;

/** Converts a natural logarithm of a ratio of amplitudes to decibels. */
export const decibelsOf = (logarithm: number): number => (20 / Math.LN10) * logarithm;

/** What a HAL found, with details that its rating did not need, for people who look at it. */
export const examineHal = (hal: Found) => {
  const { rated, spectrum } = hal;
  const { lines } = spectrum;
  const { spacing, shaftHz } = lines;
  const { family, expected, found, index, score, rival, rivalScore } = rated;
  const inside = harmonicNumbers.filter((number) => {
    const line = Math.round(number * found + spectrum.origin);
    return line >= 0 && line < lines.hz.length;
  });
  const linesNeeded = Math.ceil((lines.hz.length * COARSE_LINES) / found);
  return {
    name: family.name,
    factor: family.factor,
    /** The shaft's frequency according to the speed that came with the spectrum. */
    shaftHz,
    index,
    /** Weighted mean of the logarithms by which the harmonics exceed the noise floor, as far as they count. */
    score,
    /** The same for the best rival (another fundamental); 0 if there is none. */
    rivalScore,
    harmonics: inside.map((number) => harmonicAt(hal, rated.combs.counted, number, number * found)),
    /** The shaft's frequency as its own harmonics show it; `shaftHz` if none of them stands out. */
    turnHz: spectrum.turn === spectrum.shaft ? shaftHz : spectrum.turn * spacing,
    expectedHz: expected * spacing,
    foundHz: found * spacing,
    /** How far above the expected frequency the fault was found, as a fraction of the expected one; negative if below. */
    deviation: found / expected - 1,
    rivalHz: rival * spacing,
    /**
     * Sidebands that stand out, each with the `number` of its harmonic. `side` is the sideband's place beside the harmonic, in
     * steps of the sidebands' distance: -2 to 2, negative below the harmonic.
     */
    sidebands: inside.flatMap((number) =>
      sidesOf(family)
        .map((apart) => ({
          ...harmonicAt(hal, spectrum.excess, number, number * found + apart * spectrum.turn),
          side: apart / family.modulation,
        }))
        .filter(({ decibels }) => decibels >= decibelsOf(halConstants.evident)),
    ),
    ...foundAlone(hal),
    /**
     * Distance of the harmonics in lines. If it is too small, `linesNeeded` lines in the same range would be enough. Absent if
     * no spectrum may have so many.
     */
    linesApart: found,
    ...(found < COARSE_LINES && linesNeeded <= hardLimits.spectrumLines && { linesNeeded }),
  };
};
export type ExaminedHal = Readonly<ReturnType<typeof examineHal>>;

/**
 * Where the family stands out most if explained lines count, too; how many of its lines stand out there; and how many of these
 * lines each other family explains.
 */
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

/** A harmonic or a sideband: where it was looked for, the nearest line and, if that line is no evidence, the reason `why`. */
const harmonicAt = ({ spectrum, explainedBy }: Found, counted: ByLine, number: number, place: number) => {
  const { lines, floors, excess, origin } = spectrum;
  const line = Math.round(place + origin);
  const [amplitude, noiseFloor] = [amplitudeAt(lines, line), valueAt(floors, line)];
  const why =
    noiseFloor > 0 ? whyNot(valueAt(excess, line), valueAt(counted, line), explainedBy[line]) : 'no noise floor';
  return {
    number,
    hz: place * lines.spacing,
    line,
    amplitude,
    noiseFloor,
    decibels: noiseFloor > 0 ? bounded(decibelsOf(Math.log(amplitude / noiseFloor))) : 0,
    ...(why !== undefined && { why }),
  };
};

const bounded = (decibels: number): number => Math.max(-WIDEST_DB, Math.min(decibels, WIDEST_DB));

/** The reason shown for a weak harmonic, which is no evidence. Its height counts in the score all the same. */
export const WEAK = 'does not stand out';

const whyNot = (excess: number, counted: number, by: string | undefined): string | undefined => {
  const { evident } = halConstants;
  if (excess < evident) return WEAK;
  if (counted >= evident) return undefined;
  return by === undefined ? 'in the shadow of stronger lines' : `explained by ${by}`;
};

/** The noise floor of each line; 0 where there is none. */
export const noiseFloorOf = (lines: Lines): ReadonlyArray<number> => Array.from(excessOf(lines).floors);
