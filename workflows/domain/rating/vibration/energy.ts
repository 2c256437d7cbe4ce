import { firstLineFrom, valueAt, type Lines } from './lines';

const { max } = Math;

/** The share of a frequency by which an edge still reaches a line: floating-point noise. */
const EDGE_TOLERANCE = 1e-9;

/** The effective value of the lines from `min` to `max` Hz; undefined when no line lies there. */
export type Energy = (min: number, max: number) => number | undefined;

/**
 * The energy in any band of `lines`: `sqrt(sum(y^2) / noise bandwidth)`.
 *
 * Edges belong to the band; the line at 0 Hz belongs to none, it is an offset and no vibration. Squares are of shares of
 * the greatest line, so that none overflows.
 */
export const energyOf = (lines: Lines): Energy => {
  const greatest = lines.amplitudes.reduce((one, other) => max(one, other), Number.MIN_VALUE);
  const squares = lines.amplitudes.map((amplitude) => (amplitude / greatest) ** 2);
  return (min, max) => {
    const from = firstLineFrom(lines, Math.max(min * (1 - EDGE_TOLERANCE), Number.MIN_VALUE));
    const to = firstLineFrom(lines, max * (1 + EDGE_TOLERANCE));
    if (to <= from) return undefined;
    let sum = 0;
    for (let line = from; line < to; line += 1) sum += valueAt(squares, line);
    return Math.min(greatest * Math.sqrt(sum / lines.noiseBandwidth), Number.MAX_VALUE);
  };
};
