import type { Lines } from '../spectral-lines';
import { greatestFundamental, harmonicNumbers, STEPS } from './comb';
import { placesIn, stepsOfTurn } from './excess';
import { fundamentalOf, type Family } from './family';
import { halConstants } from './hal-constants';

const { max } = Math;

/**
 * Most steps that rating the HALs of one spectrum may take: twice as many as for the costliest input within the limits. The
 * steps are counted before the rating begins. A time limit would not do, because a replay must come to the same result.
 */
export const MOST_STEPS = 30_000_000;

/** Steps for each family that may slip, besides the scoring of combs: its look-ups in all rounds of fault discrimination. */
const LOOK_UPS = 5_000;

/** Estimates the steps of the loops that rate `families` on `lines`, lest extreme input keep these loops going without end. */
export const ratingSteps = (lines: Lines, families: ReadonlyArray<Family>): number => {
  const places = placesIn(lines);
  const ofTurn = halConstants.shaftHarmonics * stepsOfTurn(places);
  const ofCombs = 2 * harmonicNumbers.length * STEPS * max(0, greatestFundamental(places, families));
  const ofFamily = (family: Family): number =>
    family.slips
      ? LOOK_UPS
      : (places.length / max(fundamentalOf(family, places.shaft), halConstants.resolved)) * (2 * lines.lobe + 1);
  return families.reduce((steps, family) => steps + ofFamily(family), ofTurn + ofCombs);
};
