import { amplitudeAt, firstLineFrom, valueAt, type Lines } from './lines';

// In the sandbox a look-up of a global costs as much as a hundred sums.
const { floor } = Math;

/** The share of a frequency by which an edge still reaches a line: floating-point noise. */
const EDGE_TOLERANCE = 1e-9;

/** The effective value of the lines from `min` to `max` Hz; undefined when no line lies there. */
export type Energy = (min: number, max: number) => number | undefined;

/** Lines of a block, whose sum is kept: a hundred wide bands add few lines each, and none twice. */
const BLOCK = 128;

/**
 * The energy in any band of `lines`: `sqrt(sum(y^2) / noise bandwidth)`.
 *
 * Edges belong to the band; the line at 0 Hz belongs to none, it is an offset and no vibration. Squares are of shares of
 * the greatest line, so that none overflows. Sums are only added, never subtracted: a faint band beside a loud one stays exact.
 */
export const energyOf = (lines: Lines): Energy => {
  const greatest = greatestOf(lines.amplitudes);
  const squares = new Float64Array(lines.amplitudes.length);
  const blocks = new Float64Array(Math.ceil(squares.length / BLOCK));
  for (let line = 0; line < squares.length; line += 1) {
    const share = amplitudeAt(lines, line) / greatest;
    const block = floor(line / BLOCK);
    squares[line] = share * share;
    blocks[block] = valueAt(blocks, block) + share * share;
  }
  return (min, max) => {
    const from = firstLineFrom(lines, Math.max(min * (1 - EDGE_TOLERANCE), Number.MIN_VALUE));
    const to = firstLineFrom(lines, max * (1 + EDGE_TOLERANCE));
    if (to <= from) return undefined;
    let sum = 0;
    for (let line = from; line < to;) {
      const isBlock = line % BLOCK === 0 && line + BLOCK <= to;
      sum += isBlock ? valueAt(blocks, line / BLOCK) : valueAt(squares, line);
      line += isBlock ? BLOCK : 1;
    }
    return Math.min(greatest * Math.sqrt(sum / lines.noiseBandwidth), Number.MAX_VALUE);
  };
};

const greatestOf = (amplitudes: Lines['amplitudes']): number => {
  let greatest = Number.MIN_VALUE;
  for (const amplitude of amplitudes) if (amplitude > greatest) greatest = amplitude;
  return greatest;
};
