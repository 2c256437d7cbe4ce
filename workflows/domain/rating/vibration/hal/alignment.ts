import { hzAt, lineNearest, type Lines } from '../lines';
import { floorAt, heightAt, heightNear, type VisibleLines } from './visible-lines';

/** Harmonics of one frequency, which may run off by `tolerance`, a share of it, all by the same share. */
export interface Family {
  readonly hz: number;
  readonly tolerance: number;
}

/** How far a bearing's or a belt's frequency may run off: they slip. */
export const SLIPPING = 0.02;

/** How far a multiple of the shaft may run off: by the error of the speed, no more. */
export const LOCKED = 0.005;

/** The harmonics that count: the first ones, as far as they lie inside the spectrum. */
export const MOST_HARMONICS = 10;

/** The ratio beyond which a harmonic adds little to the alignment of its family, so that no single line decides. */
const TELLING = 10;

/** 120 dB: more than amplitudes of six digits can resolve, and its square stays finite. */
export const GREATEST_RATIO = 1e6;

/** A step moves the highest harmonic by so many lines: a peak is looked for at a place and right beside it. */
const STEP = 2;
const FINE_STEP = 0.25;

/** As many steps as the tolerance has in the largest spectrum from 0 Hz: one far from 0 is searched no longer. */
const MOST_STEPS = 128;

/** The numbers of the harmonics of `hz` that lie inside the spectrum. */
export const harmonicsInside = (lines: Lines, hz: number): ReadonlyArray<number> =>
  Array.from({ length: MOST_HARMONICS }, (_, index) => index + 1).filter(
    (number) => number * hz >= hzAt(lines, 0) && number * hz <= hzAt(lines, lines.hz.length - 1),
  );

/**
 * Where a family really runs: its frequency in Hz, off by at most the tolerance.
 *
 * The whole family moves together, in small steps; the place at which its harmonics stand out most wins, the nearest one of
 * equals. So the tolerance grows with the harmonic, and no harmonic may pick a peak of its own. Then the peaks themselves,
 * rather than their surroundings, settle the last lines.
 */
export const aligned = (visible: VisibleLines, { hz, tolerance }: Family, numbers: ReadonlyArray<number>): number => {
  const { lines } = visible;
  const harmonics = numbers.map((number) => ({ number, floor: floorAt(visible, lineNearest(lines, number * hz)) }));
  const line = lines.spacing / Math.max(...numbers);
  const steps = Math.min(Math.ceil((tolerance * hz) / (STEP * line)), MOST_STEPS);
  const roughly = searched(hz, STEP * line, steps, (at) => standingOut(visible, heightNear, at, harmonics));
  return searched(roughly, FINE_STEP * line, STEP / FINE_STEP, (at) => standingOut(visible, heightAt, at, harmonics));
};

/** The frequency around `hz`, by up to `steps` to either side, at which `score` is greatest. */
const searched = (hz: number, step: number, steps: number, score: (at: number) => number): number => {
  let best = hz;
  let most = score(hz);
  for (let count = 1; count <= steps; count += 1) {
    for (const at of [hz - count * step, hz + count * step]) {
      const found = score(at);
      if (found > most) [best, most] = [at, found];
    }
  }
  return best;
};

interface Harmonic {
  readonly number: number;
  readonly floor: number;
}

/** The sum of the ratios of the harmonics of `hz` to their floors; one that is not visible counts as its floor. */
const standingOut = (
  visible: VisibleLines,
  heightOf: (visible: VisibleLines, place: number) => number,
  hz: number,
  harmonics: ReadonlyArray<Harmonic>,
): number => {
  let sum = 0;
  for (const { number, floor } of harmonics) {
    const height = heightOf(visible, lineNearest(visible.lines, number * hz));
    if (height < 0) sum += 1;
    else if (height < TELLING * floor) sum += height / floor;
    else if (height < GREATEST_RATIO * floor) sum += TELLING + Math.log2(height / floor / TELLING);
    else sum += TELLING + Math.log2(GREATEST_RATIO / TELLING);
  }
  return sum;
};
