import { amplitudeAt, valueAt, type Lines } from '../spectral-lines';
import type { Found } from './discriminate';
import { excessOf, type ByLine } from './excess';
import { harmonicNumbers } from './comb';
import { sidesOf } from './family';
import { halConstants } from './hal-constants';

/** A harmonic, or a sideband of one, as it stands in the spectrum. */
export interface Harmonic {
  readonly number: number;
  /** Where it was looked for, the nearest line to that, and its amplitude. */
  readonly hz: number;
  readonly line: number;
  readonly amplitude: number;
  readonly noiseFloor: number;
  readonly decibels: number;
  /** Why it does not count; absent where it counts. */
  readonly why?: string;
}

/** What a HAL found, for people who look at it. */
export interface ExaminedHal {
  readonly name: string;
  readonly factor: number;
  /** The shaft's frequency by the speed given, and by its own harmonics: the same where none stands out. */
  readonly shaftHz: number;
  readonly turnHz: number;
  readonly expectedHz: number;
  readonly foundHz: number;
  /** By how much it runs off, as a share. */
  readonly slip: number;
  readonly index: number;
  /** The mean logarithm by which the harmonics stand out, and that of the best other fundamental. */
  readonly score: number;
  readonly rivalScore: number;
  readonly rivalHz: number;
  readonly harmonics: ReadonlyArray<Harmonic>;
  /** Sidebands that stand out, by the number of their harmonic; `side` counts their distance, -2 to 2. */
  readonly sidebands: ReadonlyArray<Harmonic & { readonly side: number }>;
  /** What else explains the lines that stand out where it would have been found alone, and how many. */
  readonly explainedBy: ReadonlyArray<{ readonly name: string; readonly lines: number }>;
  /** That place, and how many harmonics stand out there; as found where nothing else explains lines. */
  readonly alone: { readonly hz: number; readonly lines: number };
  /** Lines from harmonic to harmonic; fewer than `COARSE_LINES` blur them. */
  readonly linesApart: number;
  /** How many lines of this range would not; absent where there are enough. */
  readonly linesNeeded?: number;
}

/** Fewer lines between harmonics than this, and sidebands and slip are told badly. */
const COARSE_LINES = 12;

/** A natural logarithm of amplitudes in decibels. */
export const decibelsOf = (logarithm: number): number => (20 / Math.LN10) * logarithm;

/** Everything about a HAL that its rating did not need. */
export const examineHal = (hal: Found): ExaminedHal => {
  const { rated, spectrum } = hal;
  const { lines } = spectrum;
  const { spacing, shaftHz } = lines;
  const { family, expected, found, index, score, rival, rivalScore } = rated;
  const inside = harmonicNumbers.filter((number) => {
    const line = Math.round(number * found + spectrum.origin);
    return line >= 0 && line < lines.hz.length;
  });
  const harmonics = inside.map((number) => harmonicAt(hal, rated.combs.counted, number, number * found));
  return {
    ...{ name: family.name, factor: family.factor, shaftHz, index, score, rivalScore, harmonics },
    turnHz: spectrum.turn === spectrum.shaft ? shaftHz : spectrum.turn * spacing,
    expectedHz: expected * spacing,
    foundHz: found * spacing,
    slip: found / expected - 1,
    rivalHz: rival * spacing,
    sidebands: inside.flatMap((number) =>
      sidesOf(family)
        .map((apart) => ({
          ...harmonicAt(hal, spectrum.excess, number, number * found + apart * spectrum.turn),
          side: apart / family.modulation,
        }))
        .filter(({ decibels }) => decibels >= decibelsOf(halConstants.evident)),
    ),
    ...foundAlone(hal),
    linesApart: found,
    ...(found < COARSE_LINES && { linesNeeded: Math.ceil((lines.hz.length * COARSE_LINES) / found) }),
  };
};

/** Where the family stands out most while nothing is explained, and what explains its lines there. */
const foundAlone = ({ alone, spectrum, families, explainedBy }: Found): Pick<ExaminedHal, 'alone' | 'explainedBy'> => {
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

const harmonicAt = ({ spectrum, explainedBy }: Found, counted: ByLine, number: number, place: number): Harmonic => {
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

const whyNot = (excess: number, counted: number, by: string | undefined): string | undefined => {
  const { evident } = halConstants;
  if (excess < evident) return 'does not stand out';
  if (counted >= evident) return undefined;
  return by === undefined ? 'in the shadow of stronger lines' : `explained by ${by}`;
};

/** The noise floor of each line; 0 where there is none. */
export const noiseFloorOf = (lines: Lines): ReadonlyArray<number> => Array.from(excessOf(lines).floors);
