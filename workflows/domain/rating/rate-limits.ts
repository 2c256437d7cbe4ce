import { worst, type Status } from '../alarm/status';
import type { AlarmLimits } from '../threshold/limits';
import { overallRegions, type OverallReading } from './overall-regions';

/**
 * A region or a limit of the table, highest values first: above `outerHigh`, at it, between it and `innerHigh`, at that, inside,
 * at `innerLow`, between it and `outerLow`, at that, below it.
 */
export type Cell = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/**
 * The status of `value` by the nine cells of `type`. Where limits coincide, the worse of their labels holds.
 *
 * Source: spec, "How the limits map to statuses"; docs/decisions.md, "absent and coinciding limits".
 */
export const rateLimits = (limits: AlarmLimits, type: 1 | 2, reading: OverallReading, value: number): Status => {
  const cells = overallRegions[reading][type];
  return worst(cellsOf(limits, value).map((cell) => cells[cell]));
};

/**
 * Where `value` lies: in one cell, or in several where limits coincide.
 *
 * An absent outer limit lies at infinity. An absent inner limit leaves the region between it and its outer limit out, so
 * the innermost region reaches to the outer limit.
 */
export const cellsOf = (limits: AlarmLimits, value: number): readonly [Cell, ...Cell[]] => {
  const { outerHigh = Infinity, innerHigh = outerHigh, outerLow = -Infinity, innerLow = outerLow } = limits;

  const labels: Cell[] = [];
  if (value === limits.outerHigh) labels.push(1);
  if (value === limits.innerHigh) labels.push(3);
  if (value === limits.innerLow) labels.push(5);
  if (value === limits.outerLow) labels.push(7);
  const [first, ...others] = labels;
  if (first !== undefined) return [first, ...others];

  if (value > outerHigh) return [0];
  if (value > innerHigh) return [2];
  if (value > innerLow) return [4];
  if (value > outerLow) return [6];
  return [8];
};
