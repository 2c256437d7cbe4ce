import { combScores, STEPS, type CombScores } from './comb-scores';
import type { Excess } from './excess';
import type { Family } from './family';
import { halConstants } from './hal-constants';

/** The fundamentals that the families of a threshold and their rivals need. */
export interface Grid {
  readonly scoresOf: (excess: Readonly<Float64Array>) => CombScores;
  /** By step, 1 where a family or a multiple of the shaft runs: known, and so no rival. */
  readonly known: Readonly<Uint8Array>;
}

export const gridOf = ({ excess, origin, shaft }: Excess, families: ReadonlyArray<Family>): Grid => {
  const { slip, onShaft, rivalsTo } = halConstants;
  const expected = families.flatMap(({ factor, strikes }) => strikes.map((strike) => factor * strike * shaft));
  const top = excess.length - 0.5 - origin;
  const greatest = Math.max(0, Math.min(rivalsTo * expected.reduce((most, one) => Math.max(most, one), 0), top));
  const known = new Uint8Array(Math.floor(greatest * STEPS) + 1);
  const know = (at: number, share: number): void => {
    known.fill(1, Math.ceil(at * (1 - share) * STEPS), Math.floor(at * (1 + share) * STEPS) + 1);
  };
  for (const at of expected) know(at, slip);
  if (shaft >= 1 / STEPS) for (let at = shaft; at <= greatest; at += shaft) know(at, onShaft);
  return { scoresOf: (of) => combScores(of, origin, greatest, known), known };
};
