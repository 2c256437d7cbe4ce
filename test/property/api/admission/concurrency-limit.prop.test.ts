import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomOf } from '../../../chaos/load/random';
import { FEWEST, FIRST_LIMIT, nextLimit, SHORT_MS, type Limit } from '../../../../api/admission/concurrency-limit';

/** A server that takes `atOnce` units, each `leastMs` long: more of them only wait in it. */
type Server = { readonly leastMs: number; readonly atOnce: number };

const tripMs = ({ leastMs, atOnce }: Server, inFlight: number, noise: number): number =>
  leastMs * Math.max(1, inFlight / atOnce) * noise;

/** Whether so many units wait in a server no longer than a few times what a trip takes at best, or a short trip. */
const isBounded = (units: number, server: Server, before = server): boolean =>
  tripMs(server, units, 1) <=
  2 * Math.max(SHORT_MS, 4 * Math.max(tripMs(server, FEWEST, 1), tripMs(before, FEWEST, 1)));

/** The limit after so many windows in which there is always more to send. */
const after = (windows: number, server: Server, noise: () => number, from: Limit = FIRST_LIMIT): Limit => {
  let limit = from;
  for (let window = 0; window < windows; window += 1) {
    const trips = Array.from({ length: 9 }, () => {
      const ms = tripMs(server, limit.units, noise());
      return { kind: 'update', ms, inFlight: limit.units };
    });
    limit = nextLimit(limit, trips, undefined);
  }
  return limit;
};

const servers = fc.record({
  leastMs: fc.double({ min: 2, max: 100, noNaN: true }),
  atOnce: fc.double({ min: 1, max: 300, noNaN: true }),
});
/** What a trip takes beside its rule, by a seed. */
const noises = fc.nat().map((seed) => {
  const { draw } = randomOf(seed);
  return () => 0.8 + 0.45 * draw();
});

test('it finds its level by itself: the server is busy, and a unit waits in it only a few times its least', () =>
  fc.assert(
    fc.property(servers, noises, (server, noise) => {
      const { units, leastMs } = after(300, server, noise);
      const least = leastMs['update'] ?? NaN;
      expect(units).toBeGreaterThanOrEqual(Math.max(FEWEST, server.atOnce));
      expect(isBounded(units, server)).toBe(true);
      expect(least).toBeLessThanOrEqual(tripMs(server, FEWEST, 1.25));
    }),
    { numRuns: 200 },
  ));

test('it follows a server that gets slower, down to a third, or faster', () =>
  fc.assert(
    fc.property(servers, fc.double({ min: 1 / 3, max: 5, noNaN: true }), noises, (server, speed, noise) => {
      const changed = { ...server, leastMs: server.leastMs / speed };
      const { units } = after(300, changed, noise, after(300, server, noise));
      expect(units).toBeGreaterThanOrEqual(Math.min(server.atOnce, FEWEST));
      expect(units).toBeGreaterThanOrEqual(0.8 * server.atOnce);
      expect(isBounded(units, changed, server)).toBe(true);
    }),
    { numRuns: 100 },
  ));

test('processes that share a server come to like limits, wherever they began', () =>
  fc.assert(
    fc.property(servers, fc.double({ min: 1, max: 20, noNaN: true }), noises, (server, head, noise) => {
      fc.pre(server.atOnce > 2 * FEWEST); // a smaller one has both near the fewest
      let one: Limit = { ...FIRST_LIMIT, leastMs: { update: server.leastMs } };
      let other: Limit = { ...one, units: one.units * head };
      for (let window = 0; window < 400; window += 1) {
        const ms = tripMs(server, one.units + other.units, noise());
        one = nextLimit(one, [{ kind: 'update', ms, inFlight: one.units }], undefined);
        other = nextLimit(other, [{ kind: 'update', ms, inFlight: other.units }], undefined);
      }
      expect(Math.max(one.units, other.units) / Math.min(one.units, other.units)).toBeLessThan(2);
    }),
    { numRuns: 100 },
  ));
