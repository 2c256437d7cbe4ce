import * as real from '../../../workflows/domain/rating/vibration/hal/family';

export * from '../../../workflows/domain/rating/vibration/hal/family';

const MULTIPLE = /\d\s*x(?=([^,;:()]*))/giu;
const RANGE = /\d+(?:\s*x)?\s*(?:-|to)\s*\d+\s*x/iu;
const FOREIGN = /(?<!\p{L})(?:line|supply|belt|\p{L}*freq|hz|cpm)/iu;

/** Reads the rest of a label after each multiple in it, and seeks a range from each digit. */
export const familiesOf: typeof real.familiesOf = (hal, findOrders) => {
  const isForeign = [...hal.label.matchAll(MULTIPLE)].some(([, after = '']) => FOREIGN.test(after));
  return RANGE.test(hal.label) && isForeign
    ? real.familiesOf({ ...hal }, findOrders)
    : real.familiesOf(hal, findOrders);
};
