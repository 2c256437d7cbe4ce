import type { MeasurementOf } from '../../measurement/measurement';
import { notRatable, type BandPart } from '../../alarm/parts';
import { SPEED_MULTIPLE, type Band, type Edge, bandLimits } from '../../threshold/band';
import type { Threshold } from '../../threshold/threshold';
import { rateUpper } from '../../threshold/alarm-limits';
import { amplitudeAt, firstLineFrom, valueAt, type Lines } from './spectral-lines';

// In the sandbox a look-up of a global costs as much as a hundred sums.
const { floor } = Math;

/**
 * A band, rated by the energy of its lines.
 *
 * Units:    the result is in the spectrum's y unit, limits are taken in the same.
 * Errors:   NO_DATA when no line lies inside, and when an edge is a multiple of a speed of 0.
 * Source:   docs/contributing/decisions.md, "bands"; docs/bands.md, "Bands".
 */
export const rateBand = (
  band: Band,
  { shaftHz, energy }: { readonly shaftHz: number; readonly energy: ReturnType<typeof energyOf> },
  { spectrum, measurementId }: MeasurementOf<'SPECTRUM'>,
  threshold: Threshold,
): BandPart => {
  const edges = [band.minFrequency, band.maxFrequency];
  const standsStill = shaftHz === 0 && edges.some((edge) => edge?.valueType === SPEED_MULTIPLE);
  const value = standsStill ? undefined : energy(...bandEdges(band, shaftHz));
  return value === undefined
    ? notRatable(measurementId)
    : {
        status: rateUpper(value, bandLimits(band.overallAlarmThreshold, threshold)),
        triggeringMeasurement: measurementId,
        calculatedOverall: { value, unit: spectrum.yUnit },
      };
};

export const bandEdges = (band: Band, shaftHz: number): readonly [min: number, max: number] => [
  edgeHz(band.minFrequency, 0, shaftHz),
  edgeHz(band.maxFrequency, Infinity, shaftHz),
];

const edgeHz = (edge: Edge | undefined, absent: number, shaftHz: number): number => {
  if (edge === undefined) return absent;
  return edge.valueType === SPEED_MULTIPLE ? edge.value * shaftHz : edge.value;
};

/** The share of a frequency by which an edge still reaches a line: floating-point noise. */
const EDGE_TOLERANCE = 1e-9;

/** Lines of a block, whose sum is kept: a hundred wide bands add few lines each, and none twice. */
const BLOCK = 128;

/**
 * The energy in any band of `lines`, from `min` to `max` Hz: `sqrt(sum(y^2) / noise bandwidth)`, edges included, without the line at
 * 0 Hz, an offset; undefined when no line lies there. Squares are of shares of the greatest line, lest one overflow; sums are never
 * subtracted: a faint band beside a loud one stays exact.
 */
export const energyOf = (lines: Lines) => {
  const greatest = greatestOf(lines.amplitudes);
  const squares = new Float64Array(lines.amplitudes.length);
  const blocks = new Float64Array(Math.ceil(squares.length / BLOCK));
  for (let line = 0; line < squares.length; line += 1) {
    const share = amplitudeAt(lines, line) / greatest;
    const block = floor(line / BLOCK);
    squares[line] = share * share;
    blocks[block] = valueAt(blocks, block) + share * share;
  }
  return (min: number, max: number): number | undefined => {
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
