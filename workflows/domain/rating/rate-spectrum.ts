import type { MeasurementOf } from '../measurement/measurement';
import { notRatable, type BandPart, type HalPart } from '../parts';
import type { Threshold } from '../threshold/threshold';

/** The bands of `threshold`, by position, rated by a spectrum. */
export const rateBands = (
  { bandAlarms = [] }: Threshold,
  { measurementId }: MeasurementOf<'SPECTRUM'>,
): ReadonlyArray<BandPart> => bandAlarms.map(() => notRatable(measurementId));

/** The HALs of `threshold`, by position, rated by a spectrum. */
export const rateHals = (
  { halAlarms = [] }: Threshold,
  { measurementId }: MeasurementOf<'SPECTRUM'>,
): ReadonlyArray<HalPart> => halAlarms.map(() => notRatable(measurementId));
