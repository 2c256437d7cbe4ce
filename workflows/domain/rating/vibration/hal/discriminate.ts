import * as E from 'fp-ts/Either';
import type { Family } from './alignment';
import { withoutPeaks } from './masked-lines';
import { prominenceOf, type Prominence } from './prominence';
import type { VisibleLines } from './visible-lines';

/** The least prominence of a family that masks lines for the others; noise alone reaches about 2. */
const PROMINENT = 3;

interface Rival<Name extends string> extends Family {
  readonly name: Name;
  /** Where sidebands of its harmonics stand, in Hz to either side. */
  readonly sides: ReadonlyArray<number>;
}

interface Ranked<Name extends string> {
  readonly name: Name;
  readonly prominence: E.Either<string, Prominence>;
}

/**
 * Fault discrimination: the prominence of each of several families when a line counts for one of them only.
 *
 * Harmonics of a bearing's faults fall together: BPFO is the cage's harmonic of the number of elements. So the family that
 * stands out most keeps its peaks and sidebands, the others are rated again without them, and so on.
 */
export const discriminate = <Name extends string>(
  visible: VisibleLines,
  rivals: ReadonlyArray<Rival<Name>>,
): ReadonlyArray<Ranked<Name>> => {
  const ranked = rivals
    .map((rival) => ({ ...rival, prominence: prominenceOf(visible, rival) }))
    .sort((one, other) => indexOf(other) - indexOf(one));
  const [first, ...others] = ranked;
  if (first === undefined || E.isLeft(first.prominence) || first.prominence.right.index < PROMINENT) return ranked;
  return [first, ...discriminate(withoutPeaks(visible, first.prominence.right.hz, first.sides), others)];
};

const indexOf = ({ prominence }: Ranked<string>): number => (E.isLeft(prominence) ? -1 : prominence.right.index);
