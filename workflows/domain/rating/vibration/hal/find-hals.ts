import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Hal } from '../../../threshold/hal';
import type { DefectOrders } from '../bearings/defect-orders';
import { hzAt, type Lines } from '../lines';
import { discriminate, type Contender, type Discriminated } from './discriminate';
import { excessOf } from './excess';
import { faultFamily, multipleFamily, type Family } from './family';
import type { Finding } from './finding';
import { frequencyOfLabel } from './frequency-of-label';

/** Finds the orders of a HAL's bearing. */
export type FindOrders = (bearing: NonNullable<Hal['bearing']>) => DefectOrders | undefined;

/** What a HAL found, and among what. */
export interface FoundHal {
  readonly family: Family;
  readonly finding: Finding;
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
  const { family, rated } = among.contenders
    .filter((one) => families.includes(one.family))
    .reduce((one, other) => (indexOf(other) > indexOf(one) ? other : one));
  return E.map((finding: Finding) => ({ family, finding, among }))(rated);
};

const indexOf = ({ rated }: Contender): number => (E.isLeft(rated) ? -1 : rated.right.index);

/** The families that a HAL looks for, or why it looks for none. GLOBAL looks for every fault of its bearing. */
const familiesOf = (
  { label, halAlarmType, bearing }: Hal,
  findOrders: FindOrders,
): E.Either<string, ReadonlyArray<Family>> => {
  if (halAlarmType === 'GLOBAL' && bearing === undefined) return E.right([multipleFamily(1)]);
  const faultsOf = (faults: ReadonlyArray<keyof DefectOrders>): E.Either<string, ReadonlyArray<Family>> => {
    if (bearing === undefined) return E.left(`the label names ${faults.join().toUpperCase()}, but no bearing is given`);
    const orders = findOrders(bearing);
    const name = `${bearing.manufacturer} ${bearing.modelNumber}`;
    return orders === undefined
      ? E.left(`unknown bearing ${name}`)
      : E.right(faults.map((fault) => faultFamily(fault, orders, name)));
  };
  if (halAlarmType === 'GLOBAL') return faultsOf(['ftf', 'bsf', 'bpfo', 'bpfi']);
  return pipe(
    frequencyOfLabel(label),
    E.chain((named) => (named._tag === 'multiple' ? E.right([multipleFamily(named.factor)]) : faultsOf([named.fault]))),
  );
};
