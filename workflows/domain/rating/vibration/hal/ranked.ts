import { valueAt } from '../spectral-lines';

const { ceil, floor, max, min } = Math;

/** Values with the greatest one of every block, so that the best of a range is found without reading every value. */
export interface Ranked {
  readonly values: Readonly<Float64Array>;
  readonly greatest: Readonly<Float64Array>;
}

const BLOCK = 64;

export const ranked = (values: Readonly<Float64Array>): Ranked => {
  const greatest = new Float64Array(ceil(values.length / BLOCK));
  for (let block = 0, index = 0; block < greatest.length; block += 1) {
    let most = -Infinity;
    for (const end = min(index + BLOCK, values.length); index < end; index += 1)
      most = max(most, valueAt(values, index));
    greatest[block] = most;
  }
  return { values, greatest };
};

/** The first index from `from` to `to` with the greatest value above `least` that `counts` accepts; 0 if there is none. */
export const bestOf = (
  { values, greatest }: Ranked,
  [from, to]: readonly [from: number, to: number],
  least: number,
  counts: (index: number) => boolean,
): number => {
  let [best, most] = [0, least];
  const end = min(to, values.length - 1);
  for (let index = max(from, 0); index <= end;) {
    const next = BLOCK * (floor(index / BLOCK) + 1);
    if (valueAt(greatest, next / BLOCK - 1) > most)
      for (const last = min(end, next - 1); index <= last; index += 1)
        if (valueAt(values, index) > most && counts(index)) [best, most] = [index, valueAt(values, index)];
    index = next;
  }
  return best;
};
