import * as E from 'fp-ts/Either';
import type { Family } from './alignment';
import { withoutPeaks } from './explained';
import { standingOf, type Standing } from './standing';
import type { VisibleLines } from './visible-lines';

/** A family that stands out less explains nothing to others: noise alone reaches about 2. */
const STANDING_OUT = 3;

interface Rival<Name extends string> extends Family {
  readonly name: Name;
  /** Where sidebands of its harmonics stand, in Hz to either side. */
  readonly sides: ReadonlyArray<number>;
}

interface Ranked<Name extends string> {
  readonly name: Name;
  readonly standing: E.Either<string, Standing>;
}

/**
 * How far each of several families stands out when a line counts for one of them only.
 *
 * Harmonics of a bearing's faults fall together: BPFO is the cage's harmonic of the number of elements. So the family that
 * stands out most keeps its peaks and sidebands, the others are rated again without them, and so on.
 */
export const compete = <Name extends string>(
  visible: VisibleLines,
  rivals: ReadonlyArray<Rival<Name>>,
): ReadonlyArray<Ranked<Name>> => {
  const ranked = rivals
    .map((rival) => ({ ...rival, standing: standingOf(visible, rival) }))
    .sort((one, other) => indexOf(other) - indexOf(one));
  const [first, ...others] = ranked;
  if (first === undefined || E.isLeft(first.standing) || first.standing.right.index < STANDING_OUT) return ranked;
  return [first, ...compete(withoutPeaks(visible, first.standing.right.hz, first.sides), others)];
};

const indexOf = ({ standing }: Ranked<string>): number => (E.isLeft(standing) ? -1 : standing.right.index);
