import type { MeasurementOf } from '../../measurement/measurement';
import { notRatable, type BandPart } from '../../alarm/parts';
import { SPEED_MULTIPLE, type Band, type Edge, ratedLimits } from '../../threshold/band';
import type { Threshold } from '../../threshold/threshold';
import { rateUpper } from '../../threshold/alarm-limits';
import { firstLineFrom, valueAt, type Lines } from './spectral-lines';

// Constants, because in the sandbox a look-up of a global costs as much as a hundred additions.
const { floor, max, min } = Math;

/**
 * Rates a band by the energy of its lines.
 *
 * Units:    the value is in the spectrum's y unit, and the limits are taken to be in the same unit.
 * Errors:   NO_DATA if no line lies in the band, or if an edge is a multiple of the shaft's speed and the speed is 0.
 * Source:   docs/contributing/decisions.md, "Decimal comparison"; docs/bands.md, "Bands".
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

/** Whether an edge is a multiple of the shaft's speed and the speed is 0. */
const standsStill = ({ minFrequency, maxFrequency }: Band, shaftHz: number): boolean =>
  shaftHz === 0 && [minFrequency, maxFrequency].some((edge) => edge?.valueType === SPEED_MULTIPLE);

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

/** A line beyond an edge still counts if it is no farther than this fraction of the edge, as rounding may move it. */
const EDGE_TOLERANCE = 1e-9;

/** Lines of a block. The energy of each block is summed up once, so that a hundred wide bands need not visit every line. */
const BLOCK = 128;

/**
 * Returns a function for the energy of `lines` from `minHz` to `maxHz`, edges included, without the offset at 0 Hz:
 * `sqrt(sum(y^2) / noise bandwidth)`; undefined if no line lies there. Lines are divided by the band's greatest line before
 * they are squared: so no square overflows, nor vanishes beside a great line outside the band. Sums are never subtracted, so
 * that a faint band beside a loud one stays exact.
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
