import { firstLineFrom, hzAt, lineNearest, valueAt, type Lines } from '../spectral-lines';
import { halConstants } from './hal-constants';

/** What all HALs share of a spectrum. Positions and distances are in lines. */
export interface Excess {
  readonly lines: Lines;
  /** By line, the natural logarithm of its amplitude. */
  readonly logs: Readonly<Float64Array>;
  /** By line, the logarithm of the noise floor around it. */
  readonly floors: Readonly<Float64Array>;
  /** By line, by how much the logarithm exceeds the floor, at least the least; 0 where there is no floor, and for an offset at 0 Hz. */
  readonly excess: Readonly<Float64Array>;
  /** The first and the last line with an excess. */
  readonly first: number;
  readonly last: number;
  /** The position of 0 Hz. */
  readonly origin: number;
  /** The shaft's frequency by the speed given, and as it is found. */
  readonly shaft: number;
  readonly turn: number;
}

/** Lines of 0 have this logarithm, and where they are most there is no floor. */
export const NOTHING = -700;

/** Prepares `lines`, which have a spacing, in one pass. */
export const excessOf = (lines: Lines): Excess => {
  const { length } = lines.amplitudes;
  const { spacing, shaftHz } = lines;
  const origin = -hzAt(lines, 0) / spacing;
  const logs = logarithms(lines, length);
  const first = firstLineFrom(lines, (lines.lobe + 0.5) * spacing);
  const floors = floorsOf(logs, first);
  const excess = new Float64Array(length);
  let last = -1;
  for (let line = first; line < length; line += 1) {
    const noise = valueAt(floors, line);
    if (noise <= NOTHING) continue;
    excess[line] = Math.max(valueAt(logs, line) - noise, halConstants.leastExcess);
    last = line;
  }
  const shaft = shaftHz / spacing;
  return { lines, logs, floors, excess, first, last, origin, shaft, turn: turnOf(excess, origin, shaft) };
};

/** Whether `line` lies in the spectrum above a noise floor. */
export const hasFloor = ({ first, floors }: Excess, line = -1): boolean =>
  line >= first && (floors[line] ?? NOTHING) > NOTHING;

/**
 * The shaft's frequency by its harmonics that are evident peaks, the first one among them, as far as the speed may be wrong.
 *
 * A strong fault beside a multiple is no better a peak than a weak one, and most of the multiples below must be there, too. Of
 * equals it is the one nearest to the speed given. A tenth of a line is too coarse: faults of eight balls run within a hundredth
 * of a multiple.
 */
const turnOf = (excess: Readonly<Float64Array>, origin: number, shaft: number): number => {
  const { evident, speedError, shaftHarmonics } = halConstants;
  const isPeak = (place: number): boolean => {
    const line = Math.round(place + origin);
    return valueAt(excess, line) >= Math.max(evident, valueAt(excess, line - 1), valueAt(excess, line + 1));
  };
  const count = Math.min(shaftHarmonics, Math.floor((excess.length - 1 - origin) / (shaft * (1 + speedError))));
  let turn = shaft;
  let most = 0;
  for (let step = 0; step <= 2 * shaft * speedError * count; step += 1) {
    const at = shaft + ((step % 2 === 0 ? -1 : 1) * Math.ceil(step / 2)) / count;
    let sum = 0;
    let missing = isPeak(at) ? 0 : count;
    for (let number = 1; number <= count && missing <= number / 2; number += 1)
      if (isPeak(number * at)) sum += 1 / number;
      else missing += 1;
    if (sum > most) [turn, most] = [at, sum];
  }
  return turn;
};

/** Uneven lines are read at even places: what lies nearest. */
const logarithms = (lines: Lines, length: number): Float64Array => {
  const logs = new Float64Array(length);
  const bits = new DataView(new ArrayBuffer(8));
  const start = hzAt(lines, 0);
  for (let line = 0; line < length; line += 1) {
    const at = lines.even ? line : lineNearest(lines, start + line * lines.spacing);
    logs[line] = logarithm(valueAt(lines.amplitudes, at), bits);
  }
  return logs;
};

/** The least number that is not stored with fewer bits. */
const LEAST_NORMAL = 2.2250738585072014e-308;
const LN2 = 0.6931471805599453;

/**
 * The natural logarithm to eleven digits: of the power of two, and of the rest from 1 to 2 by its series.
 *
 * IEEE 754 determines every bit of sums, products and quotients, but not of an engine's own logarithm.
 */
const logarithm = (value: number, bits: DataView): number => {
  if (value < LEAST_NORMAL) return NOTHING;
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  const rest = bits.getFloat64(0) / Math.SQRT2;
  const x = (rest - 1) / (rest + 1);
  const square = x * x;
  const series =
    1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square * (1 / 11 + square / 13)))));
  return ((high >>> 20) - 1022.5) * LN2 + 2 * x * series;
};

/** By line, the median of the logarithms around it, from line `first` on: of every few, and interpolated between. */
const floorsOf = (logs: Float64Array, first: number): Float64Array => {
  const { floorReach, floorStride } = halConstants;
  const { length } = logs;
  const floors = new Float64Array(length);
  const width = 2 * floorReach + 1;
  const medianAround = (line: number): number => {
    const from = Math.max(Math.min(line - floorReach, length - width), first);
    const count = Math.min(width, length - from);
    return valueAt(logs.slice(from, from + count).sort(), count >>> 1);
  };
  let floor = medianAround(0);
  for (let line = 0; line < length; line += floorStride) {
    const next = medianAround(Math.min(line + floorStride, length - 1));
    for (let step = 0; step < floorStride; step += 1)
      floors[line + step] = floor + ((next - floor) * step) / floorStride;
    floor = next;
  }
  return floors;
};
