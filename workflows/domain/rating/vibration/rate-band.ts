import type { MeasurementOf } from '../../measurement/measurement';
import { notRatable, type BandPart } from '../../alarm/parts';
import { SPEED_MULTIPLE, type Band, type Edge } from '../../threshold/band';
import type { Threshold } from '../../threshold/threshold';
import { bandLimits, rateUpper } from '../../threshold/upper-limits';
import type { Energy } from './energy';

/**
 * A band, rated by the energy of its lines.
 *
 * Units:    the result is in the spectrum's y unit, limits are taken in the same.
 * Errors:   NO_DATA when no line lies inside, and when an edge is a multiple of a speed of 0.
 * Source:   docs/decisions.md, "bands"; docs/bands.md, "Bands".
 */
export const rateBand = (
  band: Band,
  { shaftHz, energy }: { readonly shaftHz: number; readonly energy: Energy },
  { spectrum, measurementId }: MeasurementOf<'SPECTRUM'>,
  threshold: Threshold,
): BandPart => {
  const edges = [band.minFrequency, band.maxFrequency];
  const standsStill = shaftHz === 0 && edges.some((edge) => edge?.valueType === SPEED_MULTIPLE);
  const value = standsStill ? undefined : energy(...bandEdges(band, shaftHz));
  return value === undefined
    ? notRatable(measurementId)
    : {
        status: rateUpper(value, bandLimits(band.overallThreshold, threshold)),
        triggeringMeasurement: measurementId,
        calculatedOverall: { value, unit: spectrum.yUnit },
      };
};

/** The edges of a band in Hz. */
export const bandEdges = (band: Band, shaftHz: number): readonly [min: number, max: number] => [
  edgeHz(band.minFrequency, 0, shaftHz),
  edgeHz(band.maxFrequency, Infinity, shaftHz),
];

const edgeHz = (edge: Edge | undefined, absent: number, shaftHz: number): number => {
  if (edge === undefined) return absent;
  return edge.valueType === SPEED_MULTIPLE ? edge.value * shaftHz : edge.value;
};
