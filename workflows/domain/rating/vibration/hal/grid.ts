import * as E from 'fp-ts/Either';
import { combScores, combShares, STEPS, type CombScores } from './comb-scores';
import type { Excess } from './excess';
import type { Family } from './family';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { ceil, floor, max, min } = Math;

/** The fundamentals that the families of a threshold and their rivals need. */
export interface Grid {
  readonly scoresOf: (excess: Readonly<Float64Array>) => CombScores;
  /** By step, 1 where a family or a multiple of the shaft runs: known, and so no rival. */
  readonly known: Readonly<Uint8Array>;
}

export const gridOf = (spectrum: Excess, families: ReadonlyArray<Family>): Grid => {
  const { slip, onShaft, rivalsTo, resolved } = halConstants;
  const { excess, origin, shaft } = spectrum;
  const expected = families.flatMap((family) =>
    E.getOrElse((): ReadonlyArray<number> => [])(expectedOf(spectrum, family)),
  );
  const most = expected.reduce((greatest, one) => max(greatest, one), 0);
  const greatest = min(rivalsTo * most, (excess.length - 1 - origin) / 2); // one line is no comb
  const known = new Uint8Array(floor(greatest * STEPS) + 1);
  const know = (at: number, share: number): void => {
    known.fill(1, ceil(at * (1 - share) * STEPS), floor(at * (1 + share) * STEPS) + 1);
  };
  for (const at of expected) know(at, slip);
  if (shaft >= resolved) for (let at = shaft; at <= greatest; at += shaft) know(at, onShaft);
  const shares = combShares(excess, origin, known.length);
  return { scoresOf: (of) => combScores(of, origin, shares, known), known };
};

/** The fundamentals in lines at which `family` is looked for, or why it cannot be found: fewer than two harmonics, or too near. */
export const expectedOf = (
  { excess, origin, shaft }: Excess,
  family: Family,
): E.Either<string, ReadonlyArray<number>> => {
  const { resolved } = halConstants;
  const last = excess.length - 1;
  const inside = family.strikes
    .map((strike) => family.factor * strike * shaft)
    .filter(
      (one) =>
        harmonicNumbers.filter((number) => number * one + origin >= 0 && number * one + origin <= last).length > 1,
    );
  const clear = inside.filter((one) => one >= resolved);
  if (inside.length === 0) return E.left('fewer than two harmonics lie inside the spectrum');
  return clear.length > 0
    ? E.right(clear)
    : E.left(`its harmonics are ${max(...inside).toPrecision(2)} lines apart, ${resolved} are needed`);
};

/** The numbers of the harmonics that count. */
export const harmonicNumbers: ReadonlyArray<number> = Array.from({ length: halConstants.harmonics }, (_, at) => at + 1);
