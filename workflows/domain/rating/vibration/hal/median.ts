/**
 * The median of the first `count` values, of an even count the upper of the two in the middle; 0 of none.
 *
 * It reorders `values`: by quickselect, which takes half the time of sorting some forty.
 */
export const medianOf = (values: Float64Array, count: number): number => {
  const middle = count >>> 1;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = Number(values[(low + high) >>> 1]);
    let left = low;
    let right = high;
    while (left <= right) {
      while (Number(values[left]) < pivot) left += 1;
      while (Number(values[right]) > pivot) right -= 1;
      if (left > right) break;
      [values[left], values[right]] = [Number(values[right]), Number(values[left])];
      left += 1;
      right -= 1;
    }
    if (middle <= right) high = right;
    else if (middle >= left) low = left;
    else break;
  }
  return count === 0 ? 0 : Number(values[middle]);
};
