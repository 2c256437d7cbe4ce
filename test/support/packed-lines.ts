import { packAmplitudes, packPlaces, type PackedLines } from '../../workflows/domain/measurement/packed-lines';

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
