import { hzAt, lineNearest, valueAt, type Lines } from '../spectral-lines';
import { halConstants } from './hal-constants';

// In the sandbox a look-up of a global costs as much as a hundred sums.
const { ceil, floor, LN2, max, min, round } = Math;

/** One value for each line. */
export type ByLine = Readonly<Float64Array>;

/**
 * Where 0 Hz and the shaft's frequency lie, by the speed given, in lines from the first one; the lines have a spacing. To twelve
 * digits: Hz and orders come to the same, though their last bits differ.
 */
export const placesIn = (lines: Lines) => {
  const { hz, spacing, shaftHz } = lines;
  return { length: hz.length, origin: rounded(-hzAt(lines, 0) / spacing), shaft: rounded(shaftHz / spacing) };
};
const rounded = (value: number): number => Number(value.toPrecision(12));
export type Places = Readonly<ReturnType<typeof placesIn>>;

/** What all HALs share of a spectrum, whose lines have a spacing. Positions and distances are in lines. */
export const excessOf = (lines: Lines) => {
  const { spacing, even } = lines;
  const start = hzAt(lines, 0);
  const places = placesIn(lines);
  // Uneven lines are read at even places: what lies nearest.
  const amplitudes = lines.amplitudes.map((one, line) =>
    even ? one : valueAt(lines.amplitudes, lineNearest(lines, start + line * spacing)),
  );
  const first = max(0, min(ceil(lines.lobe + 0.5 + places.origin), amplitudes.length)) || 0; // a single line has no place
  const floors = floorsOf(amplitudes, first);
  const excess = excessOver(amplitudes, floors);
  return {
    lines,
    amplitudes,
    /** By line, the noise floor around it; 0 where there is none, and for an offset at 0 Hz. */
    floors,
    /** By line, the natural logarithm by which its amplitude exceeds its floor, at least the least; 0 without a floor. */
    excess,
    ...places,
    /** The shaft's frequency as it is found. */
    turn: turnOf(excess, places),
  };
};
export type Excess = Readonly<ReturnType<typeof excessOf>>;

/** By line from `first` on, the median of the amplitudes around it: of every few, and interpolated between. */
const floorsOf = (amplitudes: ByLine, first: number): ByLine => {
  const { floorReach, floorStride } = halConstants;
  const { length } = amplitudes;
  const medianAround = (line: number): number => {
    const from = max(min(line - floorReach, length - 2 * floorReach - 1), first);
    const around = amplitudes.slice(from, from + 2 * floorReach + 1).sort();
    return valueAt(around, around.length >>> 1);
  };
  const floors = new Float64Array(length);
  let [before, after] = [0, medianAround(first)];
  for (let line = first; line < length; line += 1) {
    const step = (line - first) % floorStride;
    if (step === 0) [before, after] = [after, medianAround(min(line + floorStride, length - 1))];
    floors[line] = before + ((after - before) * step) / floorStride;
  }
  return floors;
};

/** By line, the logarithm by which the amplitude exceeds the floor. */
export const excessOver = (amplitudes: ByLine, floors: ByLine): ByLine => {
  const bits = new DataView(new ArrayBuffer(8));
  return floors.map((noise, line) =>
    noise > 0 ? max(logarithm(valueAt(amplitudes, line) / noise, bits), halConstants.leastExcess) : 0,
  );
};

/**
 * The natural logarithm to a twentieth of a decibel; that of 0 is -709.
 *
 * IEEE 754 determines every bit of sums, products and quotients, but not of an engine's own logarithm. The bits of a number
 * are its power of two, and the share of the way to the next: nearly a logarithm.
 */
const logarithm = (value: number, bits: DataView): number => {
  bits.setFloat64(0, value);
  const power = bits.getUint32(0) / 2 ** 20 - 1023;
  const share = power - floor(power);
  return (power + 0.344 * share * (1 - share)) * LN2;
};

/**
 * The shaft's frequency by its harmonics that are evident peaks, the first one among them, as far as the speed may be wrong.
 *
 * A strong fault beside a multiple is no better a peak than a weak one, and most of the multiples below must be there, too. Of
 * equals it is the one nearest to the speed given. A tenth of a line is too coarse: faults of eight balls run within a hundredth
 * of a multiple.
 */
const turnOf = (excess: ByLine, places: Places): number => {
  const { evident } = halConstants;
  const { origin, shaft } = places;
  const isPeak = (place: number): boolean => {
    const line = round(place + origin);
    return valueAt(excess, line) >= max(evident, valueAt(excess, line - 1), valueAt(excess, line + 1));
  };
  const count = harmonicsOfTurn(places);
  const steps = stepsOfTurn(places);
  let [turn, most] = [shaft, 0];
  for (let step = 0; step <= steps; step += 1) {
    const at = shaft + ((step % 2 === 0 ? -1 : 1) * ((step + 1) >> 1)) / count;
    let [sum, missing] = [0, 0];
    for (let number = 1; number <= count && missing < number / 2; number += 1)
      if (isPeak(number * at)) sum += 1 / number;
      else missing += 1;
    if (sum > most) [turn, most] = [at, sum];
  }
  return turn;
};

const harmonicsOfTurn = ({ length, origin, shaft }: Places): number =>
  min(halConstants.shaftHarmonics, floor((length - 1 - origin) / (shaft * (1 + halConstants.speedError))));

/** The frequencies at which the shaft is looked for. After twice as many as there are lines its harmonics lie outside of them. */
export const stepsOfTurn = (places: Places): number => {
  const count = harmonicsOfTurn(places);
  return count > 0 ? min(2 * places.shaft * halConstants.speedError * count, 2 * places.length) : 0;
};
