import type { Cell } from '../../workflows/domain/rating/rate-limits';
import type { AlarmLimits } from '../../workflows/domain/threshold/limits';
import { reachedLimit, type UpperLimits } from '../../workflows/domain/threshold/upper-limits';

/** What decided a status: the limit that the value reached or passed, where there is one, and the region that it lies in. */
export interface Decision {
  readonly limit?: { readonly name: string; readonly value: number };
  readonly region: string;
}

type LimitName = 'outerHigh' | 'innerHigh' | 'innerLow' | 'outerLow';

const onLimit: Partial<Record<Cell, LimitName>> = { 1: 'outerHigh', 3: 'innerHigh', 5: 'innerLow', 7: 'outerLow' };
/** The limits around each region, an absent inner one replaced by its outer one. */
const around: Partial<
  Record<Cell, { readonly below: ReadonlyArray<LimitName>; readonly above: ReadonlyArray<LimitName> }>
> = {
  0: { below: ['outerHigh'], above: [] },
  2: { below: ['innerHigh'], above: ['outerHigh'] },
  4: { below: ['innerLow', 'outerLow'], above: ['innerHigh', 'outerHigh'] },
  6: { below: ['outerLow'], above: ['innerLow'] },
  8: { below: [], above: ['outerLow'] },
};
/** The limit that a value in a region passed, on its way from the inside. */
const passed: Partial<Record<Cell, LimitName>> = { 0: 'outerHigh', 2: 'innerHigh', 6: 'innerLow', 8: 'outerLow' };

/** What decides by four limits, of a value that lies in `cells`. */
export const decidingLimit = (limits: AlarmLimits, cells: readonly [Cell, ...Cell[]]): Decision => {
  const [cell] = cells;
  const at = cells.flatMap((one) => onLimit[one] ?? []);
  const [first] = at;
  if (first !== undefined)
    return { limit: { name: first, value: limits[first] ?? 0 }, region: `at ${at.join(' and ')}` };
  const { below = [], above = [] } = around[cell] ?? {};
  const present = (names: ReadonlyArray<LimitName>): LimitName | undefined =>
    names.find((name) => limits[name] !== undefined);
  const [low, high] = [present(below), present(above)];
  const name = passed[cell];
  const value = name === undefined ? undefined : limits[name];
  return {
    ...(name !== undefined && value !== undefined && { limit: { name, value } }),
    region: regionText(low, high),
  };
};

const regionText = (low: string | undefined, high: string | undefined): string => {
  if (low !== undefined && high !== undefined) return `between ${low} and ${high}`;
  if (low !== undefined) return `above ${low}`;
  return high === undefined ? 'no limits' : `below ${high}`;
};

/** What decides by the upper limits of a band or a HAL. */
export const upperLimit = (limits: UpperLimits, value: number): Decision => {
  const limit = reachedLimit(value, limits);
  if (limit !== undefined) return { limit, region: `at or above ${limit.name}` };
  if (limits.upperAlert !== undefined) return { region: 'below upperAlert' };
  return { region: limits.upperDanger === undefined ? 'no limits' : 'below upperDanger' };
};
