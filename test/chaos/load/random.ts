/** Draws that a seed repeats. */
export interface Random {
  /** From 0 up to 1. */
  readonly draw: () => number;
  /** A whole number from 0 up to `end`. */
  readonly below: (end: number) => number;
  readonly pick: <A>(from: ReadonlyArray<A>) => A;
  readonly shuffled: <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>;
  readonly uuid: () => string;
}

/** Mulberry32, by Tommy Ettinger (public domain). */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(draw() * end);
  const pick = <A>(from: ReadonlyArray<A>): A => {
    const one = from[below(from.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  const hex = (digits: number): string => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  return {
    draw,
    below,
    pick,
    shuffled: (all) =>
      all
        .map((one) => [draw(), one] as const)
        .sort(([first], [second]) => first - second)
        .map(([, one]) => one),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
};
