import { firstLineFrom, hzAt, lineNearest, valueAt, type Lines } from '../lines';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { max, min, SQRT2 } = Math;

/** What all HALs share of a spectrum. Positions and distances are in lines. */
export interface Excess {
  readonly lines: Lines;
  /** By line, the natural logarithm of its amplitude. */
  readonly logs: Readonly<Float64Array>;
  /** By line, the logarithm of the noise floor around it. */
  readonly floors: Readonly<Float64Array>;
  /** By line, by how much the logarithm exceeds the floor, at least the least; NaN where there is no floor, and for an offset at 0 Hz. */
  readonly excess: Readonly<Float64Array>;
  /** The position of 0 Hz. */
  readonly origin: number;
  readonly shaft: number;
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
  const excess = new Float64Array(length).fill(NaN);
  for (let line = first; line < length; line += 1) {
    const floor = valueAt(floors, line);
    if (floor <= NOTHING) continue;
    excess[line] = max(valueAt(logs, line) - floor, halConstants.leastExcess);
  }
  return { lines, logs, floors, excess, origin, shaft: shaftHz / spacing };
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
  const rest = bits.getFloat64(0) / SQRT2;
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
  const around = new Float64Array(2 * floorReach + 1);
  const medianAround = (line: number): number => {
    const from = max(min(line - floorReach, length - around.length), first);
    const count = min(around.length, length - from);
    for (let at = 0; at < count; at += 1) around[at] = valueAt(logs, from + at);
    return smallest(around, count, count >>> 1);
  };
  let floor = medianAround(0);
  for (let line = 0; line < length; line += floorStride) {
    const next = medianAround(min(line + floorStride, length - 1));
    for (let step = 0; step < floorStride; step += 1)
      floors[line + step] = floor + ((next - floor) * step) / floorStride;
    floor = next;
  }
  return floors;
};

/** The value of `rank` from 0 among the first `count`, by quickselect, which reorders them. */
const smallest = (values: Float64Array, count: number, rank: number): number => {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = valueAt(values, (low + high) >>> 1);
    let left = low;
    let right = high;
    while (left <= right) {
      while (valueAt(values, left) < pivot) left += 1;
      while (valueAt(values, right) > pivot) right -= 1;
      if (left > right) break;
      const swapped = valueAt(values, left);
      values[left] = valueAt(values, right);
      values[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return valueAt(values, rank);
};
