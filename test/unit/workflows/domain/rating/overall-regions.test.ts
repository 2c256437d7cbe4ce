import { describe, expect, test } from 'vitest';
import { rateLimits } from '../../../../../workflows/domain/rating/overall-regions';
import { ALERT, DANGER, GOOD, type Status } from '../../../../../workflows/domain/alarm/status';

const outerHigh = 20;
const innerHigh = 10;
const innerLow = -10;
const outerLow = -20;
const all = { outerHigh, innerHigh, innerLow, outerLow };

describe('the table of the specification, read literally', () => {
  test.each<[name: string, value: number, type1: Status, type2: Status]>([
    ['above outerHigh', 30, GOOD, DANGER],
    ['just above outerHigh', 20.000001, GOOD, DANGER],
    ['at outerHigh', 20, GOOD, DANGER],
    ['between outerHigh and innerHigh', 15, GOOD, DANGER],
    ['at innerHigh', 10, ALERT, ALERT],
    ['between innerHigh and innerLow', 0, DANGER, GOOD],
    ['at innerLow', -10, ALERT, ALERT],
    ['between innerLow and outerLow', -15, DANGER, DANGER],
    ['at outerLow', -20, DANGER, DANGER],
    ['below outerLow', -30, GOOD, DANGER],
    ['just below outerLow', -20.000001, GOOD, DANGER],
  ])('%s', (_name, value, type1, type2) => {
    expect(rateLimits(all, 1, 'literal', value)).toBe(type1);
    expect(rateLimits(all, 2, 'literal', value)).toBe(type2);
  });
});

describe('the table with the regions between read as ALERT', () => {
  test.each<[name: string, value: number, type1: Status, type2: Status]>([
    ['above outerHigh', 30, GOOD, DANGER],
    ['at outerHigh', 20, GOOD, DANGER],
    ['between outerHigh and innerHigh', 15, ALERT, ALERT],
    ['at innerHigh', 10, ALERT, ALERT],
    ['between innerHigh and innerLow', 0, DANGER, GOOD],
    ['at innerLow', -10, ALERT, ALERT],
    ['between innerLow and outerLow', -15, ALERT, ALERT],
    ['at outerLow', -20, DANGER, DANGER],
    ['below outerLow', -30, GOOD, DANGER],
  ])('%s', (_name, value, type1, type2) => {
    expect(rateLimits(all, 1, 'alert-band', value)).toBe(type1);
    expect(rateLimits(all, 2, 'alert-band', value)).toBe(type2);
  });
});
