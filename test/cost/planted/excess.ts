import * as real from '../../../workflows/domain/rating/vibration/hal/excess';

export * from '../../../workflows/domain/rating/vibration/hal/excess';

/** Looks for the turn of the shaft in as many steps as its place in lines says, however few the lines are. */
export const excessOf: typeof real.excessOf = (lines) => {
  const found = real.excessOf(lines);
  const count = Math.floor((found.excess.length - 1 - found.origin) / found.shaft);
  let sum = 0;
  for (let step = 0; step <= 0.02 * found.shaft * count; step += 1)
    sum += found.excess[step % found.excess.length] ?? 0;
  return sum === Infinity ? real.excessOf(lines) : found;
};
