import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { DESCRIPTION_LENGTH } from '../../../limits';
import { notRatable, type HalPart } from '../../../alarm/parts';
import { shortened } from '../../../codecs';
import type { Hal } from '../../../threshold/hal';
import { rateUpper } from '../../../threshold/alarm-limits';
import { hzAt, type Lines } from '../spectral-lines';
import { discriminate, type Contender, type Discriminated } from './discriminate';
import { excessOf } from './excess';
import { familiesOf, type Family, type FindOrders } from './family';
import type { Finding } from './finding';

/**
 * HALs, rated by how far the harmonics of their frequencies stand out, against every other explanation.
 *
 * Errors:   NO_DATA and an `errorDescription`: one HAL fails alone.
 * Source:   docs/hal.md.
 */
export const rateHals = (
  hals: ReadonlyArray<Hal>,
  findOrders: FindOrders,
  lines: E.Either<string, Lines>,
  measurementId: string,
): ReadonlyArray<HalPart> =>
  findHals(hals, findOrders, lines).map(({ hal, found }) =>
    pipe(
      found,
      E.match(
        (why): HalPart => ({ ...notRatable(measurementId), errorDescription: shortened(why, DESCRIPTION_LENGTH) }),
        ({ family, finding, among }): HalPart => ({
          status: rateUpper(finding.index, hal),
          triggeringMeasurement: measurementId,
          faultFrequency: family.factor * among.spectrum.lines.shaftHz,
          halIndex: finding.index,
          numberOfHarmonicsUsed: finding.compared.length,
          rpmFactor: family.factor,
        }),
      ),
    ),
  );

/** What a HAL found, and among what. */
export interface FoundHal {
  readonly family: Family;
  readonly finding: Finding;
  /** What it found while nothing was explained. */
  readonly alone: Finding;
  readonly among: Discriminated;
}

interface SoughtHal {
  readonly hal: Hal;
  readonly found: E.Either<string, FoundHal>;
}

/** What each HAL of a threshold finds in `lines`, or why it finds nothing. All compete, of whatever bearing. */
export const findHals = (
  hals: ReadonlyArray<Hal>,
  findOrders: FindOrders,
  lines: E.Either<string, Lines>,
): ReadonlyArray<SoughtHal> => {
  const known = new Map<string, Family>();
  const once = (family: Family): Family => {
    const key = `${family.name} ${family.factor}`;
    const first = known.get(key) ?? family;
    known.set(key, first);
    return first;
  };
  const sought = hals.map((hal) => ({
    hal,
    wanted: E.map((families: ReadonlyArray<Family>) => families.map(once))(familiesOf(hal, findOrders)),
  }));
  const among = pipe(
    lines,
    E.filterOrElse(
      ({ shaftHz }) => shaftHz > 0,
      () => 'the speed is 0',
    ),
    E.filterOrElse(hasSpacing, () => 'the lines have no spacing'),
    E.map((readable) => discriminate(excessOf(readable), [...known.values()])),
  );
  return sought.map(({ hal, wanted }) => ({
    hal,
    found: pipe(
      wanted,
      E.chain((families) => E.chain((all: Discriminated) => greatestOf(families, all))(among)),
    ),
  }));
};

const hasSpacing = (lines: Lines): boolean => lines.spacing > 0 && Number.isFinite(hzAt(lines, lines.hz.length - 1));

const greatestOf = (families: ReadonlyArray<Family>, among: Discriminated): E.Either<string, FoundHal> => {
  const { family, alone, rated } = among.contenders
    .filter((one) => families.includes(one.family))
    .reduce((one, other) => (indexOf(other) > indexOf(one) ? other : one));
  return E.map((finding: Finding) => ({ family, finding, alone: E.getOrElse(() => finding)(alone), among }))(rated);
};

const indexOf = ({ rated }: Contender): number => (E.isLeft(rated) ? -1 : rated.right.index);
