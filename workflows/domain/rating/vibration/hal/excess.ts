import { hzAt, lineNearest, valueAt, type Lines } from '../spectral-lines';
import { halConstants } from './hal-constants';

// Constants, because in the sandbox a look-up of a global costs as much as a hundred additions.
const { ceil, floor, LN2, max, min, round } = Math;

/** One value for each line. */
export type ByLine = Readonly<Float64Array>;

/**
 * The place of 0 Hz (`origin`) in lines from the first line, and the shaft's frequency by the given speed (`shaft`) in lines.
 * `lines` must have a spacing. Both values are rounded to twelve digits, so that spectra in Hz and in orders give the same
 * results, although their last bits differ.
 */
export const placesIn = (lines: Lines) => {
  const { hz, spacing, shaftHz } = lines;
  return { length: hz.length, origin: rounded(-hzAt(lines, 0) / spacing), shaft: rounded(shaftHz / spacing) };
};
const rounded = (value: number): number => Number(value.toPrecision(12));
export type Places = Readonly<ReturnType<typeof placesIn>>;

/** What all HALs use of a spectrum, whose lines must have a spacing. Positions and distances are in lines. */
export const excessOf = (lines: Lines) => {
  const { spacing, even } = lines;
  const start = hzAt(lines, 0);
  const places = placesIn(lines);
  // If lines are not evenly spaced, the line nearest to each even place is taken.
  const amplitudes = lines.amplitudes.map((one, line) =>
    even ? one : valueAt(lines.amplitudes, lineNearest(lines, start + line * spacing)),
  );
  const first = max(0, min(ceil(lines.lobe + 0.5 + places.origin), amplitudes.length)) || 0; // NaN for a single line
  const floors = floorsOf(amplitudes, first);
  const excess = excessOver(amplitudes, floors);
  return {
    lines,
    amplitudes,
    /** For each line, the noise floor around it; 0 if there is none, as for the offset at 0 Hz. */
    floors,
    /** For each line, the excess: the logarithm of its amplitude over its floor, at least `leastExcess`; 0 without a floor. */
    excess,
    ...places,
    /** The shaft's frequency in lines, as its harmonics show it. */
    turn: turnOf(excess, places),
  };
};
export type Excess = Readonly<ReturnType<typeof excessOf>>;

/**
 * The floor from line `first` on: the median around each `floorStride`th line, interpolated in between. Beside a median of 0,
 * as in amplitudes of few digits, the floor is 0, which means none: above a floor close to 0 any line would stand out.
 */
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
    floors[line] = before > 0 && after > 0 ? before + ((after - before) * step) / floorStride : 0;
  }
  return floors;
};

/** The excess of each line: the natural logarithm by which its amplitude exceeds its floor. */
export const excessOver = (amplitudes: ByLine, floors: ByLine): ByLine => {
  const bits = new DataView(new ArrayBuffer(8));
  return floors.map((noise, line) =>
    noise > 0 ? max(logarithm(valueAt(amplitudes, line) / noise, bits), halConstants.leastExcess) : 0,
  );
};

/**
 * The natural logarithm, accurate to a twentieth of a decibel; -709 for 0.
 *
 * IEEE 754 determines every bit of sums, products and quotients, but not of an engine's own logarithm. So the logarithm is
 * computed from the bits of the number: its power of two, and how far it lies on the way to the next power.
 */
const logarithm = (value: number, bits: DataView): number => {
  bits.setFloat64(0, value);
  const power = bits.getUint32(0) / 2 ** 20 - 1023;
  const share = power - floor(power);
  return (power + 0.344 * share * (1 - share)) * LN2;
};

/**
 * Finds the shaft's frequency by those of its harmonics that are evident peaks, within the error of the given speed. The first
 * harmonic must be a peak.
 *
 * A peak counts whatever its height, so that a strong fault beside a multiple does not decide. A harmonic counts only if most
 * harmonics below it are peaks. Of equally good frequencies, the one nearest to the given speed wins. Steps of a tenth of a
 * line would be too coarse: faults of bearings with eight balls lie within a hundredth of a multiple.
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

/** Number of frequencies at which the shaft is sought; at most two per line, or its last harmonic would leave the spectrum. */
export const stepsOfTurn = (places: Places): number => {
  const count = harmonicsOfTurn(places);
  return count > 0 ? min(2 * places.shaft * halConstants.speedError * count, 2 * places.length) : 0;
};
