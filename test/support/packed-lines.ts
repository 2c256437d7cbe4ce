import type { MeasurementOf } from '../../workflows/domain/measurement/measurement';
import {
  packAmplitudes,
  packLines,
  packPlaces,
  type PackedLines,
} from '../../workflows/domain/measurement/packed-lines';
import type { Spectrum } from '../../workflows/domain/measurement/spectrum';

/** Lines in steps of `step` from `start`, packed. */
export const evenLines = (start: number, step: number, y: ReadonlyArray<number>): PackedLines => ({
  start,
  step,
  y: packAmplitudes(y),
});

/** Lines at `x`, packed. */
export const unevenLines = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): PackedLines => ({
  x: packPlaces(x),
  y: packAmplitudes(y),
});

/** A measurement that holds `spectrum`, as a node rates it. */
export const measuredSpectrum = (spectrum: Spectrum): MeasurementOf<'SPECTRUM'> => ({
  measurementId: '33333333-3333-4333-8333-333333333333',
  createdAt: '2026-01-31T10:00:00.000Z',
  contentType: 'SPECTRUM',
  spectrum,
});

/** A measurement of lines at these places, packed as a node keeps it; the shaft turns with 25 Hz. */
export const spectrumOf = (coordinates: Parameters<typeof packLines>[0]): MeasurementOf<'SPECTRUM'> =>
  measuredSpectrum({ speed: 1_500, xUnit: 'Hz', yUnit: 'mm/s', lines: packLines(coordinates) });
