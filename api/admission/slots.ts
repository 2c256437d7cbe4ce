import { FIRST_LIMIT, nextLimit, weightOf, type RoundTrip } from './limit';

/** Time (ms) after which round trips move the limit, and the share by which a window moves the estimate of a turn. */
const WINDOW_MS = 100;
const MOVE = 0.3;

/** Turns for which there is always time: the slow first trips of a cold process must not turn a crowd of patient callers away. */
const CROWD = 64;

/**
 * The slots of a process: as many units are in flight as the server takes at once, by their weight. `patienceMs`: the longest
 * wait that is worth while. `longestMs`: after that, whoever was refused may come back in any case.
 */
export const createSlots = (
  usualKind: string,
  hasMore: () => boolean,
  isShared: () => boolean,
  patienceMs: number,
  longestMs: number,
) => {
  const now = (): number => performance.now();
  let limit = FIRST_LIMIT;
  const inFlight = new Set<{ readonly userId: string; readonly weight: number }>();
  let mostUnits = 0; // of the window
  let trips: RoundTrip[] = [];
  let windowBegan = now();
  let wasFull = false;
  let turnMs = 0;
  let movedAt = now(); // when a slot was last taken or given back
  let promisedUntil = 0;

  const units = (userId?: string): number => {
    let sum = 0;
    for (const unit of inFlight) if (userId === undefined || unit.userId === userId) sum += unit.weight;
    return sum;
  };
  /** Follows the server by the round trips since the last time, where there are some and it is time. */
  const follow = (): void => {
    if (trips.length === 0 || now() - windowBegan < WINDOW_MS) return;
    limit = nextLimit(limit, trips, wasFull ? undefined : mostUnits, isShared());
    const spent = trips.reduce((sum, { kind, ms }) => sum + ms * weightOf(limit, kind, usualKind), 0);
    const usedUnits = wasFull ? Math.min(limit.units, spent / (now() - windowBegan)) : limit.units;
    const measuredMs = spent / trips.length / usedUnits;
    turnMs = turnMs === 0 ? measuredMs : turnMs + MOVE * (measuredMs - turnMs);
    trips = [];
    windowBegan = now();
    wasFull = hasMore();
    mostUnits = units();
  };
  return {
    follow,
    /** Whether a unit of the user may be sent: while several users call, each may hold as much as is left for others. */
    areFree: (userId: string): boolean => {
      const [left, own] = [limit.units - units(), units(userId)];
      return left > 0 && (own === 0 || own < left || !isShared());
    },
    /** Takes the slots of a user's unit. What it returns gives them back, with the round trip (ms) where that tells of the server. */
    take: (kind: string, userId: string): ((ms?: number) => void) => {
      movedAt = now();
      const unit = { userId, weight: weightOf(limit, kind, usualKind) };
      inFlight.add(unit);
      const besides = units();
      mostUnits = Math.max(mostUnits, besides);
      return (ms) => {
        inFlight.delete(unit);
        movedAt = now();
        wasFull ||= hasMore();
        if (ms !== undefined) trips.push({ kind, ms, inFlight: besides });
        follow();
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
