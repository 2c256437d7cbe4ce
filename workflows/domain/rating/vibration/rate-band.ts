import type { MeasurementOf } from '../../measurement/measurement';
import { notRatable, type BandPart } from '../../alarm/parts';
import { SPEED_MULTIPLE, type Band, type Edge, ratedLimits } from '../../threshold/band';
import type { Threshold } from '../../threshold/threshold';
import { rateUpper } from '../../threshold/alarm-limits';
import { firstLineFrom, valueAt, type Lines } from './spectral-lines';

// In the sandbox a look-up of a global costs as much as a hundred sums.
const { floor, max, min } = Math;

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
  const value = standsStill(band, shaftHz) ? undefined : energy(...bandEdges(band, shaftHz));
  return value === undefined
    ? notRatable(measurementId)
    : {
        status: rateUpper(value, ratedLimits(band.overallAlarmThreshold, threshold)),
        triggeringMeasurement: measurementId,
        calculatedOverall: { value, unit: spectrum.yUnit },
      };
};

/** Whether an edge is a multiple of a speed of 0. */
const standsStill = ({ minFrequency, maxFrequency }: Band, shaftHz: number): boolean =>
  shaftHz === 0 && [minFrequency, maxFrequency].some((edge) => edge?.valueType === SPEED_MULTIPLE);

/** Why a band has no value. */
export const whyNoValue = (band: Band, shaftHz: number): string =>
  standsStill(band, shaftHz) ? 'the speed is 0' : 'no line lies in the band';

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
 * 0 Hz, an offset; undefined when no line lies there. Squares are of shares of the band's greatest line, lest one overflow, or all
 * vanish beside a line outside; sums are never subtracted: a faint band beside a loud one stays exact.
 */
export const energyOf = (lines: Lines) => {
  const { amplitudes } = lines;
  const highest = new Float64Array(Math.ceil(amplitudes.length / BLOCK)).fill(Number.MIN_VALUE);
  const sums = new Float64Array(highest.length);
  for (let line = 0; line < amplitudes.length; line += 1) {
    const block = floor(line / BLOCK);
    highest[block] = max(valueAt(highest, block), valueAt(amplitudes, line));
  }
  for (let line = 0; line < amplitudes.length; line += 1) {
    const block = floor(line / BLOCK);
    const share = valueAt(amplitudes, line) / valueAt(highest, block);
    sums[block] = valueAt(sums, block) + share * share;
  }
  return (minHz: number, maxHz: number): number | undefined => {
    const from = firstLineFrom(lines, max(minHz * (1 - EDGE_TOLERANCE), Number.MIN_VALUE));
    const to = firstLineFrom(lines, maxHz * (1 + EDGE_TOLERANCE));
    if (to <= from) return undefined;
    const isBlock = (line: number): boolean => line % BLOCK === 0 && line + BLOCK <= to;
    let greatest = Number.MIN_VALUE;
    for (let line = from; line < to; line += isBlock(line) ? BLOCK : 1)
      greatest = max(greatest, isBlock(line) ? valueAt(highest, line / BLOCK) : valueAt(amplitudes, line));
    let sum = 0;
    for (let line = from; line < to; line += isBlock(line) ? BLOCK : 1) {
      const share = (isBlock(line) ? valueAt(highest, line / BLOCK) : valueAt(amplitudes, line)) / greatest;
      sum += share * share * (isBlock(line) ? valueAt(sums, line / BLOCK) : 1);
    }
    return min(greatest * Math.sqrt(sum / lines.noiseBandwidth), Number.MAX_VALUE);
  };
};
