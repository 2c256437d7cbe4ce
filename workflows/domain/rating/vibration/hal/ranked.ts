import { valueAt } from '../spectral-lines';

const { ceil, max, min } = Math;

/** Values with the greatest one of every block, so that the best of a range is found without a look at each of them. */
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

/** The first index from `from` to `to` with the greatest value above `least` of those that count; 0 without one. */
export const bestOf = (
  { values, greatest }: Ranked,
  [from, to]: readonly [from: number, to: number],
  least: number,
  counts: (index: number) => boolean,
): number => {
  let [best, most] = [0, least];
  const end = min(to, values.length - 1);
  for (let index = max(from, 0); index <= end; index += 1) {
    if (index % BLOCK === 0 && valueAt(greatest, index / BLOCK) <= most) index += BLOCK - 1;
    else if (valueAt(values, index) > most && counts(index)) [best, most] = [index, valueAt(values, index)];
  }
  return best;
};
