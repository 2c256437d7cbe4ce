/** Numbers from 0 up to 1, the same ones for the same seed. */
export type Random = () => number;

/** A seeded generator: 32 bits of state, stepped by a constant and mixed (splitmix). */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
};

export const between = (random: Random, low: number, high: number): number => low + (high - low) * random();

/** A normally distributed number of mean 0 and deviation 1 (Box and Muller). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
