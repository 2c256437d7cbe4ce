import { ALERT, DANGER, GOOD, type Status, worst } from '../alarm/status';
import type { AlarmLimits } from '../threshold/alarm-limits';

type NineCells = readonly [Status, Status, Status, Status, Status, Status, Status, Status, Status];

/** How to read the two regions between an outer and an inner limit: as the specification's table has them, or as ALERT. */
export const overallReadings = ['literal', 'alert-band'] as const;
export type OverallReading = (typeof overallReadings)[number];

/**
 * Status of each region of an overall alarm, highest values first, by reading and `thresholdType`.
 *
 * Shape:    nine cells, as in the specification's table; a limit is a point, the regions between are open.
 * Units:    value and limits are compared as they are.
 * Source:   spec, "How the limits map to statuses".
 * Decision: literal unless a setting or a command says otherwise; docs/contributing/decisions.md, "overall regions".
 */
export const overallRegions: Record<OverallReading, Record<1 | 2, NineCells>> = {
  literal: {
    //  >outerHigh  =    between =innerHigh inner  =innerLow between =outerLow <outerLow
    1: [GOOD, GOOD, GOOD, ALERT, DANGER, ALERT, DANGER, DANGER, GOOD],
    2: [DANGER, DANGER, DANGER, ALERT, GOOD, ALERT, DANGER, DANGER, DANGER],
  },
  'alert-band': {
    1: [GOOD, GOOD, ALERT, ALERT, DANGER, ALERT, ALERT, DANGER, GOOD],
    2: [DANGER, DANGER, ALERT, ALERT, GOOD, ALERT, ALERT, DANGER, DANGER],
  },
};

export type Cell = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** The status of `value`; the worst of its cells if limits coincide (docs/contributing/decisions.md, "coinciding limits"). */
export const rateLimits = (limits: AlarmLimits, type: 1 | 2, reading: OverallReading, value: number): Status => {
  const cells = overallRegions[reading][type];
  return worst(cellsOf(limits, value).map((cell) => cells[cell]));
};

/**
 * The cells in which `value` lies: one cell, or several if limits coincide. An absent outer limit lies at infinity. Without an
 * inner limit, the innermost region reaches to the outer limit.
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
