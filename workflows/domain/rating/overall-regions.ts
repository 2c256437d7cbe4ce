import { ALERT, DANGER, GOOD, type Status } from '../alarm/status';

type NineCells = readonly [Status, Status, Status, Status, Status, Status, Status, Status, Status];

/** How the two regions between an outer and an inner limit read: as the specification's table has them, or as ALERT. */
export const overallReadings = ['literal', 'alert-band'] as const;
export type OverallReading = (typeof overallReadings)[number];

/**
 * Status of each region of an overall alarm, highest values first, by `thresholdType`.
 *
 * Shape:    nine cells, as in the specification's table; a limit is a point, the regions between are open.
 * Units:    none here; value and limits are compared as they are, nothing is converted.
 * Errors:   none; `outerLow <= innerLow <= innerHigh <= outerHigh` is the codec's promise.
 * Source:   spec, "How the limits map to statuses".
 * Decision: read literally unless a threshold says otherwise; docs/decisions.md, "overall regions".
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
