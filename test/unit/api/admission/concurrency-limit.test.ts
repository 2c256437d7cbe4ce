import { describe, expect, test } from 'vitest';
import {
  FEWEST,
  FIRST_LIMIT,
  nextLimit,
  weightOf,
  type Limit,
  type RoundTrip,
} from '../../../../api/admission/concurrency-limit';

const trip = (ms: number, inFlight = FEWEST, kind = 'update'): RoundTrip => ({ kind, ms, inFlight });
const at = (units: number, update = 20): Limit => ({ units, leastMs: { update } });
const busy = (...ms: ReadonlyArray<number>) => ms.map((one) => trip(one, 100));
/** More was to be sent than the limit let. */
const full = undefined;

describe('the limit', () => {
  test.each<readonly [string, Limit, ReadonlyArray<RoundTrip>, number | undefined, number]>([
    ['grows by half its root where there is more to send and trips are short', at(16), busy(80), full, 18],
    ['stays where there is no more to send', at(16), busy(60), 16, 16],
    ['shrinks by a tenth towards twice what is in flight, so that a crowd begins with few', at(16), busy(60), 3, 14.4],
    ['shrinks as trips exceed four times the least', at(16), busy(160), 16, 8],
    ['does not shrink for trips that are short, though they are ten times the least', at(16, 5), busy(50), 16, 16],
    ['shrinks and grows at once in between, so that it settles', at(16), busy(128), full, 12],
    ['shrinks by half at most', at(16), busy(3_000), 16, 8],
    ['never goes below the fewest', at(FEWEST), busy(3_000), 16, FEWEST],
    ['goes by the middle trip: one node that takes long moves nothing', at(16), busy(40, 40, 9_000), full, 18],
  ])('%s', (_, before, trips, used, units) => expect(nextLimit(before, trips, used).units).toBe(units));

  test.each<readonly [string, Limit, ReadonlyArray<RoundTrip>, number | undefined, number]>([
    ['is that of the first window', FIRST_LIMIT, [trip(20)], full, 20],
    ['falls with every shorter one, on a busy server too', at(16, 20), busy(12), full, 12],
    ['is not that of a busy server', at(16, 20), busy(90), 16, 20],
    ['follows a server that has become slower, by a fifth of the way', at(16, 20), [trip(70)], 16, 30],
    ['stays under load: another process may be its cause', at(16, 20), [trip(70)], full, 20],
  ])('the least round trip %s', (_, before, trips, used, least) => {
    expect(nextLimit(before, trips, used).leastMs['update']).toBe(least);
  });

  test('lets trips take half as long while several users call', () => {
    expect(nextLimit(at(16), busy(80), full, true).units).toBe(10);
    expect(nextLimit(at(16), busy(40), full, true).units).toBe(18);
    expect(nextLimit(at(16, 5), busy(12.5), full, true).units).toBe(18);
  });

  test('knows each kind by its own least, so that many starts are no congestion', () => {
    const known: Limit = { units: 16, leastMs: { update: 20, start: 80 } };
    expect(nextLimit(known, [trip(80, 100, 'start'), trip(80, 100, 'start'), trip(20)], full)).toEqual({
      ...known,
      units: 18,
    });
  });
});

test.each([
  [{}, 1],
  [{ start: 40 }, 1],
  [{ update: 10, start: 35 }, 3.5],
  [{ update: 10, start: 5 }, 1],
  [{ update: 1, start: 900 }, 8],
])('a start weighs what it takes longer: %j', (leastMs, weight) => {
  expect(weightOf({ units: 16, leastMs }, 'start', 'update')).toBe(weight);
});
