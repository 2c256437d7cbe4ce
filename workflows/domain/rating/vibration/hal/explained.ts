import { valueAt } from '../lines';
import type { Excess } from './excess';
import type { Family } from './family';
import type { Finding } from './finding';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { abs, floor, max, min, round } = Math;

/**
 * What is left of `excess` when `by` explains its lines: its peaks and sidebands with their lobes, in all the spectrum.
 *
 * Beside strong lines others stand that no list holds. So nothing counts that is far weaker than the lines of a fault.
 * In `explainedBy` the lines are marked.
 */
export const explained = (
  spectrum: Excess,
  excess: Readonly<Float64Array>,
  by: Family,
  { found }: Finding,
  families: ReadonlyArray<Family>,
  explainedBy: Uint16Array,
): Readonly<Float64Array> => {
  const left = excess.slice();
  const { origin, shaft, lines } = spectrum;
  const position = families.indexOf(by) + 1;
  const sides = by.modulation === 0 ? [0] : [-2, -1, 0, 1, 2].map((times) => times * by.modulation * shaft);
  for (let at = found; at + origin < left.length; at += found) {
    if (!by.slips && mayBeFault(at / shaft, families)) continue;
    for (const side of sides) {
      const peak = peakNear(spectrum, at + side + origin);
      if (!(valueAt(spectrum.excess, peak) > halConstants.explained)) continue;
      for (let line = max(peak - lines.lobe, 0); line <= min(peak + lines.lobe, left.length - 1); line += 1) {
        left[line] = min(valueAt(left, line), 0);
        if (explainedBy[line] === 0) explainedBy[line] = position;
      }
    }
  }
  if (by.slips) shade(spectrum, left, found);
  return left;
};

/** Whether a fault or a belt may run at `order`: then a multiple of the shaft explains nothing there. */
const mayBeFault = (order: number, families: ReadonlyArray<Family>): boolean =>
  families.some(
    ({ factor, slips, strikes }) =>
      slips && strikes.some((strike) => abs(order / (factor * strike) - 1) < halConstants.slip),
  );

/** The line of the greatest excess at a place and right beside it. */
const peakNear = ({ excess }: Excess, place: number): number => {
  const line = round(place);
  const higher = valueAt(excess, line + 1) > valueAt(excess, line) ? line + 1 : line;
  return valueAt(excess, line - 1) > valueAt(excess, higher) ? line - 1 : higher;
};

/** Bounds what is left by how far a line is above the shadow of the harmonics of `found`, whose heights are interpolated. */
const shade = (spectrum: Excess, left: Float64Array, found: number): void => {
  const { logs, origin } = spectrum;
  const heightOf = (number: number): number => valueAt(logs, peakNear(spectrum, number * found + origin));
  const last = floor((left.length - 2 - origin) / found);
  let number = 0;
  let height = heightOf(1);
  let next = height;
  for (let line = 0; line < left.length; line += 1) {
    const at = (line - origin) / found;
    while (number < last && at >= number + 1) {
      number += 1;
      height = next;
      next = heightOf(min(number + 1, last));
    }
    const share = min(max(at - number, 0), 1);
    left[line] = min(valueAt(left, line), valueAt(logs, line) - height - share * (next - height) - halConstants.shadow);
  }
};
