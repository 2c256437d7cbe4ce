import { amplitudeAt, firstLineFrom, valueAt, type Lines } from '../lines';
import { medianOf } from './median';

/** The neighbourhood of a line reaches this many lines to either side. */
export const NEIGHBOURHOOD = 20;
const BLOCK = 2 * NEIGHBOURHOOD + 1;

/** The lines of a spectrum that no other frequency explains. */
export interface VisibleLines {
  readonly lines: Lines;
  /** By line, 1 for one that another frequency explains. */
  readonly taken: Uint8Array;
  /** By line, the greatest amplitude that is visible there or beside it; negative where none is. */
  readonly heights: Float64Array;
  /** The noise floors of neighbourhoods side by side: what lies about a line, roughly. */
  readonly floors: Readonly<Float64Array>;
}

/** All lines but those of 0 Hz and its lobe: an offset is no vibration. */
export const withoutOffset = (lines: Lines): VisibleLines => {
  const { length } = lines.amplitudes;
  const bare = { lines, taken: new Uint8Array(length), heights: new Float64Array(length), floors: new Float64Array() };
  hide(bare, 0, firstLineFrom(lines, (lines.lobe + 0.5) * lines.spacing) - 1);
  see(bare, 0, length - 1);
  const floors = new Float64Array(Math.ceil(length / BLOCK)).map((_, block) =>
    noiseFloorAround(bare, Math.min(block * BLOCK, length - BLOCK) + NEIGHBOURHOOD),
  );
  return { ...bare, floors };
};

/** A copy, to hide lines of. */
export const copyOf = ({ lines, taken, heights, floors }: VisibleLines): VisibleLines => ({
  lines,
  taken: taken.slice(),
  heights: heights.slice(),
  floors,
});

/** Hides the lines `first` to `last` of a copy, as far as there are such. */
export const hide = (visible: VisibleLines, first: number, last: number): void => {
  visible.taken.fill(1, Math.max(first, 0), Math.max(last + 1, 0));
  see(visible, first - 1, last + 1);
};

const see = ({ lines, taken, heights }: VisibleLines, first: number, last: number): void => {
  const to = Math.min(last, taken.length - 1);
  for (let line = Math.max(first, 0); line <= to; line += 1) {
    let height = -1;
    for (let near = line - 1; near <= line + 1; near += 1)
      if (taken[near] === 0) height = Math.max(height, Number(lines.amplitudes[near]));
    heights[line] = height;
  }
};

/** The visible amplitude at or beside line `place`; negative when there is none. */
export const heightNear = ({ heights }: VisibleLines, place: number): number => heights[place] ?? -1;

/** The visible amplitude at line `place`; negative when it is not visible. */
export const heightAt = ({ lines, taken }: VisibleLines, place: number): number =>
  taken[place] === 0 ? amplitudeAt(lines, place) : -1;

/** The line at or beside `place` that is visible and the greatest, where there is one. */
export const peakNear = ({ lines, taken }: VisibleLines, place: number): number =>
  [place - 1, place, place + 1]
    .filter((line) => taken[line] === 0)
    .reduce((one, other) => (amplitudeAt(lines, other) >= amplitudeAt(lines, one) ? other : one), -1);

/** What lies about line `place`, roughly; 0 beyond either end. */
export const floorAt = ({ floors }: VisibleLines, place: number): number => valueAt(floors, Math.floor(place / BLOCK));

/** A noise floor of fewer lines is none. */
const FEWEST_LINES = 5;

/**
 * The noise floor around line `place`: the median of the visible lines of its neighbourhood that are no peaks, by `isPeak`; 0
 * when too few remain.
 */
export const noiseFloorAround = (
  { lines, taken }: VisibleLines,
  place: number,
  isPeak: (line: number) => boolean = () => false,
): number => {
  const found = new Float64Array(BLOCK);
  let count = 0;
  const last = Math.min(place + NEIGHBOURHOOD, taken.length - 1);
  for (let line = Math.max(place - NEIGHBOURHOOD, 0); line <= last; line += 1) {
    if (taken[line] === 1 || isPeak(line)) continue;
    found[count] = Number(lines.amplitudes[line]);
    count += 1;
  }
  return count < FEWEST_LINES ? 0 : medianOf(found, count);
};
