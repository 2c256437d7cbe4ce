import { expect, test } from 'vitest';
import { rateLimits } from '../../../../../workflows/domain/rating/overall-regions';
import { ALERT, DANGER, GOOD, type Status } from '../../../../../workflows/domain/alarm/status';

const all = { outerHigh: 20, innerHigh: 10, innerLow: -10, outerLow: -20 };
const types = [1, 2] as const;

/** Each region of the specification's table, literally, and where another reading has ALERT between two limits. */
test.each<[name: string, value: number, type1: Status, type2: Status, alertBand?: Status]>([
  ['above outerHigh', 30, GOOD, DANGER],
  ['just above outerHigh', 20.000001, GOOD, DANGER],
  ['at outerHigh', 20, GOOD, DANGER],
  ['between outerHigh and innerHigh', 15, GOOD, DANGER, ALERT],
  ['at innerHigh', 10, ALERT, ALERT],
  ['between innerHigh and innerLow', 0, DANGER, GOOD],
  ['at innerLow', -10, ALERT, ALERT],
  ['between innerLow and outerLow', -15, DANGER, DANGER, ALERT],
  ['at outerLow', -20, DANGER, DANGER],
  ['below outerLow', -30, GOOD, DANGER],
  ['just below outerLow', -20.000001, GOOD, DANGER],
])('the table of the specification: %s', (_name, value, type1, type2, alertBand) => {
  expect(types.map((type) => rateLimits(all, type, 'literal', value))).toEqual([type1, type2]);
  const banded = [alertBand ?? type1, alertBand ?? type2];
  expect(types.map((type) => rateLimits(all, type, 'alert-band', value))).toEqual(banded);
});
