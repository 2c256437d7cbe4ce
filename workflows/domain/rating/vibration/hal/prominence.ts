import * as E from 'fp-ts/Either';
import { amplitudeAt, hzAt, lineNearest, type Lines } from '../lines';
import { aligned, GREATEST_RATIO, harmonicsInside, type Family } from './alignment';
import { noiseFloorAround, heightNear, peakNear, type VisibleLines } from './visible-lines';

/** A harmonic: its number, its peak and the noise floor around it, and how often that goes into the peak. */
export interface Harmonic {
  readonly number: number;
  readonly hz: number;
  readonly amplitude: number;
  readonly noiseFloor: number;
  readonly ratio: number;
}

/** The prominence of a family of harmonics above its noise floor. */
export interface Prominence {
  /** The root of the mean square of the ratios: no unit, about 2 in noise. */
  readonly index: number;
  /** The harmonics that could be compared. */
  readonly harmonics: ReadonlyArray<Harmonic>;
  /** Where the family runs, in Hz. */
  readonly hz: number;
}

/**
 * The prominence of `family` among the visible lines, or why it has none.
 *
 * Source: docs/hal.md, "The index".
 */
export const prominenceOf = (visible: VisibleLines, family: Family): E.Either<string, Prominence> => {
  const { lines } = visible;
  const numbers = harmonicsInside(lines, family.hz);
  if (numbers.length === 0) return E.left('no harmonic lies inside the spectrum');
  const hz = aligned(visible, family, numbers);
  const places = numbers
    .map((number) => ({ number, place: lineNearest(lines, number * hz) }))
    .filter(({ place }) => heightNear(visible, place) >= 0);
  if (places.length === 0) return E.left('no harmonic is clear of other frequencies');
  const harmonics = places
    .map(({ number, place }) => ({ number, line: peakNear(visible, place) }))
    .map(({ number, line }) => ({
      ...{ number, hz: hzAt(lines, line), amplitude: amplitudeAt(lines, line) },
      noiseFloor: noiseFloorAround(visible, line, (other) => isHarmonic(lines, hz, other)),
    }))
    .filter(({ noiseFloor }) => noiseFloor > 0)
    .map((peak) => ({ ...peak, ratio: Math.min(peak.amplitude / peak.noiseFloor, GREATEST_RATIO) }));
  const index = rootMeanSquare(harmonics.map(({ ratio }) => ratio));
  return harmonics.length === 0 ? E.left('only peaks') : E.right({ index, harmonics, hz });
};

/** Whether line `index` lies in the main lobe of a harmonic of `hz`. */
const isHarmonic = (lines: Lines, hz: number, index: number): boolean => {
  const number = hzAt(lines, index) / hz;
  return Math.abs(number - Math.max(Math.round(number), 1)) * hz <= (lines.lobe + 0.5) * lines.spacing;
};

const rootMeanSquare = (values: ReadonlyArray<number>): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
