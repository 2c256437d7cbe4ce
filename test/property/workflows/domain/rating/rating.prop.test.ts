import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { type OverallReading, rateLimits } from '../../../../../workflows/domain/rating/overall-regions';
import { finite } from '../../../../../workflows/domain/codecs';
import { NOT_CONFIGURED, Status, worst } from '../../../../../workflows/domain/alarm/status';
import type { AlarmLimits } from '../../../../../workflows/domain/threshold/alarm-limits';
import { ofCodec } from '../../../../support/arbitraries/from-schema';
import { limitsThatRise, strictLimits } from '../../../../support/arbitraries/threshold';

const status = ofCodec(Status);
const types = fc.constantFrom<1 | 2>(1, 2);
const readings = fc.constantFrom<OverallReading>('literal', 'alert-band');
const number = ofCodec(finite);

/** Limits, and a value that often is one of them. */
const limitsAndValue = limitsThatRise.chain((limits) => {
  const given = [limits.outerHigh, limits.innerHigh, limits.innerLow, limits.outerLow].filter(
    (value) => value !== undefined,
  );
  const at = given.map((value) => fc.constant(value));
  return fc.tuple(fc.constant(limits), fc.oneof(number, ...at));
});

test.prop([fc.array(status)])('the worst status is the greatest of all', (statuses) => {
  expect(worst(statuses)).toBe(Math.max(NOT_CONFIGURED, ...statuses));
});

// The table of the specification, as it stands there, and who may be in each of its rows.
type Row = readonly [region: string, one: string, two: string, holds: (value: number, limits: AlarmLimits) => boolean];
const above = (value: number, limit: number | undefined): boolean => limit !== undefined && value > limit;
const below = (value: number, limit: number | undefined): boolean => limit !== undefined && value < limit;
const notAbove = (value: number, limit: number | undefined): boolean => limit === undefined || value < limit;
const notBelow = (value: number, limit: number | undefined): boolean => limit === undefined || value > limit;
const table: ReadonlyArray<Row> = [
  ['above outerHigh', 'Good', 'Danger', (v, l) => above(v, l.outerHigh)],
  ['at outerHigh', 'Good', 'Danger', (v, l) => v === l.outerHigh],
  ['between outerHigh and innerHigh', 'Good', 'Danger', (v, l) => above(v, l.innerHigh) && notAbove(v, l.outerHigh)],
  ['at innerHigh', 'Alert', 'Alert', (v, l) => v === l.innerHigh],
  [
    'between innerHigh and innerLow',
    'Danger',
    'Good',
    (v, l) => notAbove(v, l.innerHigh ?? l.outerHigh) && notBelow(v, l.innerLow ?? l.outerLow),
  ],
  ['at innerLow', 'Alert', 'Alert', (v, l) => v === l.innerLow],
  ['between innerLow and outerLow', 'Danger', 'Danger', (v, l) => below(v, l.innerLow) && notBelow(v, l.outerLow)],
  ['at outerLow', 'Danger', 'Danger', (v, l) => v === l.outerLow],
  ['below outerLow', 'Good', 'Danger', (v, l) => below(v, l.outerLow)],
];
const rowsOf = (value: number, limits: AlarmLimits): ReadonlyArray<Row> =>
  table.filter(([, , , holds]) => holds(value, limits));
const named = { Good: 2, Alert: 3, Danger: 4 } as const;
const isName = (name: string): name is keyof typeof named => Object.hasOwn(named, name);

const bruteForce = (limits: AlarmLimits, type: 1 | 2, reading: OverallReading, value: number): number =>
  Math.max(
    ...rowsOf(value, limits).map(([region, one, two]) => {
      const name = type === 1 ? one : two;
      const between = region === 'between outerHigh and innerHigh' || region === 'between innerLow and outerLow';
      return reading === 'alert-band' && between ? named.Alert : isName(name) ? named[name] : NaN;
    }),
  );

describe('rating by limits', () => {
  test.prop([limitsAndValue, types, readings], { numRuns: 1_000 })(
    'agrees with a brute-force reading of the table',
    ([limits, value], type, reading) => {
      expect(rateLimits(limits, type, reading, value)).toBe(bruteForce(limits, type, reading, value));
    },
  );

  test.prop([limitsAndValue], { numRuns: 1_000 })(
    'finds each value in just one region, unless limits coincide',
    ([limits, value]) => {
      const rows = rowsOf(value, limits);
      const coinciding = [limits.outerHigh, limits.innerHigh, limits.innerLow, limits.outerLow].filter(
        (limit) => limit === value,
      ).length;
      expect(rows).toHaveLength(Math.max(1, coinciding));
    },
  );

  test.prop([strictLimits, readings, number, number], { numRuns: 1_000 })(
    'never improves where a value rises from innerHigh, under type 2 and limits that do not coincide',
    (limits, reading, one, other) => {
      const [lower, higher] = [Math.min(one, other), Math.max(one, other)].map((value) =>
        Math.max(value, limits.innerHigh),
      );
      const rated = (value = NaN) => rateLimits(limits, 2, reading, value);
      expect(rated(higher)).toBeGreaterThanOrEqual(rated(lower));
    },
  );
});
