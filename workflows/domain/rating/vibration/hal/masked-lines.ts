import { amplitudeAt, hzAt, lineNearest } from '../lines';
import { aligned, harmonicsInside, LOCKED, MOST_HARMONICS } from './alignment';
import { copyOf, floorAt, heightNear, hide, NEIGHBOURHOOD, peakNear, type VisibleLines } from './visible-lines';

/**
 * The least ratio of a peak to the floor at which it masks its lines, and those of its skirts, for other families. One line
 * of noise in 75 reaches it, which costs the others little; what a fault leaves below it lifts no index further.
 */
const MASKING = 2.5;

/**
 * The lines that no harmonic of the shaft's speed masks, wherever it lies: a bearing's fault does not run at whole
 * multiples of the shaft; unbalance, misalignment and looseness do.
 *
 * Two thirds of the lines are left: where harmonics of the shaft are few lines apart, fewer lines are hidden around each,
 * down to none.
 */
export const withoutShaft = (visible: VisibleLines): VisibleLines => {
  const { lines } = visible;
  const spared = Math.floor((lines.shaftHz / lines.spacing / 3 - 1) / 2);
  const numbers = harmonicsInside(lines, lines.shaftHz);
  if (spared < 0 || numbers.length === 0) return visible;
  const hz = aligned(visible, { hz: lines.shaftHz, tolerance: LOCKED }, numbers);
  const clear = spared < lines.lobe ? copyOf(visible) : withoutPeaks(visible, hz, []);
  const reach = Math.min(spared, lines.lobe);
  for (let number = 1; number * hz <= hzAt(lines, lines.hz.length - 1); number += 1) {
    const line = lineNearest(lines, number * hz);
    hide(clear, line - reach, line + reach);
  }
  return clear;
};

/** The lines that prominent harmonics of `hz`, and their sidebands at `sides` Hz to either side, do not mask, all over the spectrum. */
export const withoutPeaks = (visible: VisibleLines, hz: number, sides: ReadonlyArray<number>): VisibleLines => {
  const { lines } = visible;
  const clear = copyOf(visible);
  let tracked = hz;
  for (let number = 1; number * tracked <= hzAt(lines, lines.hz.length - 1); number += 1) {
    const harmonic = number * tracked;
    const least = MASKING * floorAt(visible, lineNearest(lines, harmonic));
    for (const side of [0, ...sides]) {
      const place = lineNearest(lines, harmonic + side);
      if (heightNear(visible, place) <= least) continue;
      const line = peakNear(visible, place);
      hidePeak(clear, line, least);
      // The higher a harmonic, the more exact its frequency; the alignment took the lower ones.
      if (side === 0 && number >= MOST_HARMONICS && amplitudeAt(lines, line) > 2 * least)
        tracked += (hzAt(lines, line) / number - tracked) / 2;
    }
  }
  return clear;
};

/** Hides the lobe of the peak at `line`, and to either side its skirt: on from there while it falls and stands out. */
const hidePeak = (clear: VisibleLines, line: number, least: number): void => {
  const { lobe } = clear.lines;
  hide(clear, skirtEnd(clear, line, -lobe, least), skirtEnd(clear, line, lobe, least));
};

const skirtEnd = ({ lines }: VisibleLines, line: number, lobe: number, least: number): number => {
  const side = Math.sign(lobe);
  let edge = line + lobe;
  while (
    Math.abs(edge - line) < NEIGHBOURHOOD &&
    amplitudeAt(lines, edge + side) > least &&
    amplitudeAt(lines, edge + side) <= amplitudeAt(lines, edge)
  )
    edge += side;
  return edge;
};
