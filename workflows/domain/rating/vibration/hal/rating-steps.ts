import type { Lines } from '../spectral-lines';
import { greatestFundamental, harmonicNumbers, STEPS } from './comb';
import { placesIn, stepsOfTurn } from './excess';
import { fundamentalOf, type Family } from './family';
import { halConstants } from './hal-constants';

const { max } = Math;

/**
 * The steps that the rating of HALs may take on one spectrum: twice as many as those that take most within the limits. They are
 * counted before it begins, and not timed, since a replay has to come to the same.
 */
export const MOST_STEPS = 30_000_000;

/** What a family that slips takes besides the combs: its look-ups, in each round of fault discrimination. */
const LOOK_UPS = 5_000;

/** The steps of the loops that rate `families` on `lines`, about: what a fault among them would make go on without end. */
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
