import type { Status } from '../alarm/status';
import type { Threshold } from '../threshold/threshold';
import type { OverallReading } from './overall-regions';
import type { BearingName, ResolvedBearing } from './vibration/bearings/bearing';
import { isNamedLike, ordersIn } from './vibration/bearings/bearing-lookup';
import { familiesOf } from './vibration/hal/family';
import type { HalRule } from './vibration/hal/rate-hals';

/**
 * The reading of overall regions and the bearings that applied when the threshold was set. Both apply until the threshold is
 * set again.
 */
interface InForce {
  readonly reading: OverallReading;
  /** Defect orders (fault frequencies in multiples of shaft speed), with the bearings' names as the threshold has them. */
  readonly bearings: ReadonlyArray<ResolvedBearing>;
}

/** A threshold, prepared for rating. Its labels and answers are read once here, and not again for each measurement. */
export interface RatingRules extends InForce {
  readonly threshold: Threshold;
  readonly halRules: ReadonlyArray<HalRule>;
  /** The status that each answer of the inspection sets. */
  readonly statusOfAnswer: ReadonlyMap<string, Status>;
}

export const ratingRules = (
  threshold: Threshold,
  { reading = 'literal', bearings = [] }: Partial<InForce> = {},
): RatingRules => {
  const { halAlarms = [], inspection } = threshold;
  const builtIn = ordersIn({});
  const findOrders = (bearing: BearingName) => bearings.find(isNamedLike(bearing))?.orders ?? builtIn(bearing);
  return {
    threshold,
    reading,
    bearings,
    halRules: halAlarms.map((hal) => ({ hal, families: familiesOf(hal, findOrders) })),
    statusOfAnswer: new Map(inspection?.choices.map(({ answer, status }) => [answer, status])),
  };
};
