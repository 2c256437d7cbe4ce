import { describe, expect, test } from 'vitest';
import { rateLimits, type OverallReading } from '../../../../../workflows/domain/rating/overall-regions';
import { ALERT, DANGER, GOOD, type Status } from '../../../../../workflows/domain/alarm/status';
import type { AlarmLimits } from '../../../../../workflows/domain/threshold/alarm-limits';

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

const values = [-30, outerLow, -15, innerLow, 0, innerHigh, 15, outerHigh, 30];
const letters: Readonly<Partial<Record<Status, string>>> = { 2: 'g', 3: 'A', 4: 'D' };
const read = (limits: AlarmLimits, type: 1 | 2, reading: OverallReading): string =>
  values.map((value) => letters[rateLimits(limits, type, reading, value)]).join(' ');

// A letter for each of the values above, lowest first: g GOOD, A ALERT, D DANGER. An absent outer limit lies at infinity;
// an absent inner limit leaves the region between out, so that the inner region reaches to the outer limit.
describe('every subset of the limits', () => {
  test.each<[name: string, limits: AlarmLimits, one: string, two: string, bandOne: string, bandTwo: string]>([
    ['none', {}, 'D D D D D D D D D', 'g g g g g g g g g', 'D D D D D D D D D', 'g g g g g g g g g'],
    ['outerHigh', { outerHigh }, 'D D D D D D D g g', 'g g g g g g g D D', 'D D D D D D D g g', 'g g g g g g g D D'],
    ['innerHigh', { innerHigh }, 'D D D D D A g g g', 'g g g g g A D D D', 'D D D D D A A A A', 'g g g g g A A A A'],
    ['innerLow', { innerLow }, 'D D D A D D D D D', 'D D D A g g g g g', 'A A A A D D D D D', 'A A A A g g g g g'],
    ['outerLow', { outerLow }, 'g D D D D D D D D', 'D D g g g g g g g', 'g D D D D D D D D', 'D D g g g g g g g'],
    [
      'outerHigh, innerHigh',
      { outerHigh, innerHigh },
      'D D D D D A g g g',
      'g g g g g A D D D',
      'D D D D D A A g g',
      'g g g g g A A D D',
    ],
    [
      'outerHigh, innerLow',
      { outerHigh, innerLow },
      'D D D A D D D g g',
      'D D D A g g g D D',
      'A A A A D D D g g',
      'A A A A g g g D D',
    ],
    [
      'outerHigh, outerLow',
      { outerHigh, outerLow },
      'g D D D D D D g g',
      'D D g g g g g D D',
      'g D D D D D D g g',
      'D D g g g g g D D',
    ],
    [
      'innerHigh, innerLow',
      { innerHigh, innerLow },
      'D D D A D A g g g',
      'D D D A g A D D D',
      'A A A A D A A A A',
      'A A A A g A A A A',
    ],
    [
      'innerHigh, outerLow',
      { innerHigh, outerLow },
      'g D D D D A g g g',
      'D D g g g A D D D',
      'g D D D D A A A A',
      'D D g g g A A A A',
    ],
    [
      'innerLow, outerLow',
      { innerLow, outerLow },
      'g D D A D D D D D',
      'D D D A g g g g g',
      'g D A A D D D D D',
      'D D A A g g g g g',
    ],
    [
      'all but outerLow',
      { outerHigh, innerHigh, innerLow },
      'D D D A D A g g g',
      'D D D A g A D D D',
      'A A A A D A A g g',
      'A A A A g A A D D',
    ],
    [
      'all but innerLow',
      { outerHigh, innerHigh, outerLow },
      'g D D D D A g g g',
      'D D g g g A D D D',
      'g D D D D A A g g',
      'D D g g g A A D D',
    ],
    [
      'all but innerHigh',
      { outerHigh, innerLow, outerLow },
      'g D D A D D D g g',
      'D D D A g g g D D',
      'g D A A D D D g g',
      'D D A A g g g D D',
    ],
    [
      'all but outerHigh',
      { innerHigh, innerLow, outerLow },
      'g D D A D A g g g',
      'D D D A g A D D D',
      'g D A A D A A A A',
      'D D A A g A A A A',
    ],
    ['all', all, 'g D D A D A g g g', 'D D D A g A D D D', 'g D A A D A A g g', 'D D A A g A A D D'],
  ])('%s', (_name, limits, one, two, bandOne, bandTwo) => {
    expect(read(limits, 1, 'literal')).toBe(one);
    expect(read(limits, 2, 'literal')).toBe(two);
    expect(read(limits, 1, 'alert-band')).toBe(bandOne);
    expect(read(limits, 2, 'alert-band')).toBe(bandTwo);
  });
});

describe('where limits coincide the worse of their labels holds', () => {
  test.each<[name: string, limits: AlarmLimits, type1: Status, type2: Status]>([
    ['outerHigh, innerHigh', { outerHigh: 0, innerHigh: 0 }, ALERT, DANGER],
    ['innerHigh, innerLow', { innerHigh: 0, innerLow: 0 }, ALERT, ALERT],
    ['innerLow, outerLow', { innerLow: 0, outerLow: 0 }, DANGER, DANGER],
    ['outerHigh, innerLow', { outerHigh: 0, innerLow: 0 }, ALERT, DANGER],
    ['innerHigh, outerLow', { innerHigh: 0, outerLow: 0 }, DANGER, DANGER],
    ['outerHigh, outerLow', { outerHigh: 0, outerLow: 0 }, DANGER, DANGER],
    ['all but outerLow', { outerHigh: 0, innerHigh: 0, innerLow: 0 }, ALERT, DANGER],
    ['all', { outerHigh: 0, innerHigh: 0, innerLow: 0, outerLow: 0 }, DANGER, DANGER],
  ])('%s', (_name, limits, type1, type2) => {
    for (const reading of ['literal', 'alert-band'] as const) {
      expect(rateLimits(limits, 1, reading, 0)).toBe(type1);
      expect(rateLimits(limits, 2, reading, 0)).toBe(type2);
    }
  });

  test('0 and -0 are one limit', () => {
    expect(rateLimits({ innerHigh: 0 }, 2, 'literal', -0)).toBe(ALERT);
    expect(rateLimits({ innerHigh: -0 }, 2, 'literal', 0)).toBe(ALERT);
  });
});
