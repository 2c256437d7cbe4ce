import type { Status } from '../alarm/status';
import type { Threshold } from '../threshold/threshold';
import type { OverallReading } from './overall-regions';
import type { BearingName, ResolvedBearing } from './vibration/bearings/bearing';
import { isNamedLike, ordersIn } from './vibration/bearings/bearing-lookup';
import { familiesOf } from './vibration/hal/family';
import type { SoughtHal } from './vibration/hal/rate-hals';

/** What is in force when a threshold is set stays in force with it. */
interface InForce {
  readonly reading: OverallReading;
  /** The orders that were found for the bearings that the threshold names, each in its own spelling. */
  readonly bearings: ReadonlyArray<ResolvedBearing>;
}

/** A threshold as it rates. What follows from it alone is worked out once, when it is set: measurements do not pay for its texts. */
export interface RatingRules extends InForce {
  readonly threshold: Threshold;
  readonly sought: ReadonlyArray<SoughtHal>;
  /** The status that each answer of the inspection sets. */
  readonly answers: ReadonlyMap<string, Status>;
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
    sought: halAlarms.map((hal) => ({ hal, wanted: familiesOf(hal, findOrders) })),
    answers: new Map(inspection?.choices.map(({ answer, status }) => [answer, status])),
  };
};
