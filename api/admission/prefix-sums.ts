/** A growing Fenwick tree. It adds to the number at an index (from 1 on), and sums the numbers up to an index, in O(log n). */
export const createPrefixSums = () => {
  const tree = [0];
  const upTo = (index: number): number => {
    let sum = 0;
    for (let at = Math.min(index, tree.length - 1); at > 0; at -= at & -at) sum += tree[at] ?? 0;
    return sum;
  };
  return {
    upTo,
    add: (index: number, number: number): void => {
      for (let at = tree.length; at <= index; at += 1) tree.push(upTo(at - 1) - upTo(at - (at & -at)));
      for (let at = index; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + number;
    },
  };
};
