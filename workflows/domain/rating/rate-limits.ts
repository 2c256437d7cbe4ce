import { worst, type Status } from '../alarm/status';
import type { AlarmLimits } from '../threshold/limits';
import { overallRegions, type OverallReading } from './overall-regions';

/**
 * The status of `value` by the nine cells of `type`.
 *
 * An absent outer limit lies at infinity. An absent inner limit leaves the region between it and its outer limit out, so
 * the innermost region reaches to the outer limit. Where limits coincide, the worse of their labels holds.
 *
 * Source: spec, "How the limits map to statuses"; docs/decisions.md, "absent and coinciding limits".
 */
export const rateLimits = (limits: AlarmLimits, type: 1 | 2, reading: OverallReading, value: number): Status => {
  const cells = overallRegions[reading][type];
  const [above, atOuterHigh, betweenHigh, atInnerHigh, inner, atInnerLow, betweenLow, atOuterLow, under] = cells;
  const { outerHigh = Infinity, innerHigh = outerHigh, outerLow = -Infinity, innerLow = outerLow } = limits;

  const labels: Status[] = [];
  if (value === limits.outerHigh) labels.push(atOuterHigh);
  if (value === limits.innerHigh) labels.push(atInnerHigh);
  if (value === limits.innerLow) labels.push(atInnerLow);
  if (value === limits.outerLow) labels.push(atOuterLow);
  if (labels.length > 0) return worst(labels);

  if (value > outerHigh) return above;
  if (value > innerHigh) return betweenHigh;
  if (value > innerLow) return inner;
  if (value > outerLow) return betweenLow;
  return under;
};
