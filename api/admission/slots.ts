import { FIRST_LIMIT, isSlow, nextLimit, weightOf, type RoundTrip } from './concurrency-limit';

/** Time (ms) after which round trips move the limit, and the share by which a window moves the estimate of a turn. */
const WINDOW_MS = 100;
const MOVE = 0.3;

/** Turns for which there is always time: the slow first trips of a cold process must not turn a crowd of patient callers away. */
const CROWD = 64;

/**
 * The units that a user who floods may hold beside others; a quarter is one unit in flight for a quarter of the time. It follows
 * the round trips, so that about one in a hundred of them is slow.
 */
const FLOOD = { first: 1, least: 1 / 4, slow: 0.9, fast: 1.001 };

/**
 * The slots of a process: as many units are in flight as the server takes at once, by their weight. `patienceMs`: the longest
 * wait that is worth while. `longestMs`: after that, whoever was refused may come back in any case.
 */
export const createSlots = (
  usualKind: string,
  hasMore: () => boolean,
  isShared: () => boolean,
  floods: (userId: string) => boolean,
  patienceMs: number,
  longestMs: number,
) => {
  const now = (): number => performance.now();
  let limit = FIRST_LIMIT;
  const held = new Set<{ readonly userId: string; readonly weight: number; isDone: boolean }>();
  let mostUnits = 0; // of the window
  let trips: RoundTrip[] = [];
  let flooded = 0; // trips of a user who floods
  let share = FLOOD.first;
  let windowBegan = now();
  let wasFull = false;
  let turnMs = 0;
  let movedAt = now(); // when a slot was last taken or given back
  let promisedUntil = 0;

  /** The units in flight, or all that a user holds: those after which they pause as well. */
  const units = (userId?: string): number => {
    let sum = 0;
    for (const unit of held) if (userId === undefined ? !unit.isDone : unit.userId === userId) sum += unit.weight;
    return sum;
  };
  /** Follows the server by the round trips since the last time, where there are some and it is time. */
  const follow = (): void => {
    if (trips.length === 0 || now() - windowBegan < WINDOW_MS) return;
    const next = nextLimit(limit, trips, wasFull ? undefined : mostUnits, isShared());
    const most = flooded > 0 ? Math.max(limit.units, 2 * mostUnits) : Infinity; // a user who floods leaves some unused
    limit = { ...next, units: Math.min(next.units, most) };
    const spent = trips.reduce((sum, { kind, ms }) => sum + ms * weightOf(limit, kind, usualKind), 0);
    const lastedMs = now() - windowBegan;
    const usedUnits = wasFull ? Math.min(limit.units, spent / lastedMs) : limit.units;
    const measuredMs = flooded > 0 ? lastedMs / flooded : spent / trips.length / usedUnits;
    turnMs = turnMs === 0 ? measuredMs : turnMs + MOVE * (measuredMs - turnMs);
    trips = [];
    flooded = 0;
    windowBegan = now();
    wasFull = hasMore();
    mostUnits = units();
  };
  return {
    follow,
    /** Whether a unit of the user may be sent: while several users call, each may hold as much as is left for others. */
    areFree: (userId: string): boolean => {
      const [left, own] = [limit.units - units(), units(userId)];
      return left > 0 && (own === 0 || !isShared() || own < (floods(userId) ? Math.min(share, left) : left));
    },
    /**
     * Takes the slots of a user's unit. What it returns gives them back, and calls `then` whenever more may be sent; with the round
     * trip (ms) where that tells of the server.
     */
    take: (kind: string, userId: string): ((then: () => void, ms?: number) => void) => {
      movedAt = now();
      const unit = { userId, weight: weightOf(limit, kind, usualKind), isDone: false };
      held.add(unit);
      const besides = units();
      mostUnits = Math.max(mostUnits, besides);
      return (then, ms) => {
        unit.isDone = true;
        movedAt = now();
        wasFull ||= hasMore();
        if (ms !== undefined) trips.push({ kind, ms, inFlight: besides });
        if (ms !== undefined && isShared()) {
          const moved = share * (isSlow(limit, kind, ms) ? FLOOD.slow : FLOOD.fast);
          share = Math.max(FLOOD.least, Math.min(moved, limit.units));
        }
        if (ms !== undefined && floods(userId)) {
          flooded += 1;
          setTimeout(
            () => {
              held.delete(unit);
              then();
            },
            (Math.ceil(share) / share - 1) * ms,
          );
        } else held.delete(unit);
        follow();
        then();
      };
    },
    /** Time (ms) until the unit of this turn gets its slot. */
    waitMs: (turn: number): number => {
      if (!hasMore() && units() < limit.units) return 0;
      const turnsMs = turn * Math.min(turnMs, patienceMs / CROWD);
      const silentMs = now() - movedAt; // a server that answers nothing will probably do so for as long again
      return turn <= CROWD ? Math.max(turnsMs, silentMs) : turnsMs + silentMs;
    },
    /** Seconds until a call that is refused now will probably be served: a turn after the one before, not before `afterMs`. */
    retryAfter: (afterMs: number): number => {
      const begin = Math.max(promisedUntil, now() + Math.max(0, afterMs));
      promisedUntil = Math.min(begin + turnMs, now() + longestMs);
      return Math.max(1, Math.ceil((promisedUntil - now()) / 1_000));
    },
    state: () => ({ inFlight: units(), limit: limit.units }),
  };
};
