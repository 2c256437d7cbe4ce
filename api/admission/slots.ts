import { FIRST_LIMIT, nextLimit, weightOf, type RoundTrip } from './limit';

/** The slots of a process: as many units are in flight as the server takes at once, by their weight. */
export interface Slots {
  readonly areFree: () => boolean;
  /** Takes the slots of a unit. What it returns gives them back, with the round trip (ms) where that tells of the server. */
  readonly take: (kind: string) => (ms?: number) => void;
  /** Follows the server by the round trips since the last time, where there are some and it is time. */
  readonly follow: () => void;
  /** Time (ms) until the unit of this turn gets its slot. */
  readonly waitMs: (turn: number) => number;
  /** Seconds until a call that is refused now will probably be served: a turn after the one before, not before `afterMs`. */
  readonly retryAfter: (afterMs: number) => number;
  readonly state: () => { readonly inFlight: number; readonly limit: number };
}

/** Time (ms) after which round trips move the limit, and the share by which a window moves the estimate of a turn. */
const WINDOW_MS = 100;
const MOVE = 0.3;

/** Turns for which there is always time: the slow first trips of a cold process must not turn a crowd of patient callers away. */
const CROWD = 64;

/**
 * `hasMore`: whether units wait for a slot. `isShared`: whether several users call. `patienceMs`: the longest wait that is worth
 * while. `longestMs`: after that, whoever was refused may come back in any case.
 */
export const createSlots = (
  usualKind: string,
  hasMore: () => boolean,
  isShared: () => boolean,
  patienceMs: number,
  longestMs: number,
): Slots => {
  const now = (): number => performance.now();
  let limit = FIRST_LIMIT;
  let inFlight = 0;
  let trips: RoundTrip[] = [];
  let windowBegan = now();
  let wasFull = false;
  let turnMs = 0;
  let movedAt = now(); // when a slot was last taken or given back
  let promisedUntil = 0;

  const follow = (): void => {
    if (trips.length === 0 || now() - windowBegan < WINDOW_MS) return;
    limit = nextLimit(limit, trips, wasFull, isShared());
    const spent = trips.reduce((sum, { kind, ms }) => sum + ms * weightOf(limit, kind, usualKind), 0);
    const measuredMs = spent / trips.length / limit.units;
    turnMs = turnMs === 0 ? measuredMs : turnMs + MOVE * (measuredMs - turnMs);
    trips = [];
    windowBegan = now();
    wasFull = hasMore();
  };
  const areFree = (): boolean => inFlight < limit.units;
  return {
    areFree,
    follow,
    take: (kind) => {
      movedAt = now();
      const weight = weightOf(limit, kind, usualKind);
      inFlight += weight;
      const besides = inFlight;
      return (ms) => {
        inFlight = Math.max(0, inFlight - weight);
        movedAt = now();
        wasFull ||= hasMore();
        if (ms !== undefined) trips.push({ kind, ms, inFlight: besides });
        follow();
      };
    },
    waitMs: (turn) => {
      if (!hasMore() && areFree()) return 0;
      const turnsMs = turn * Math.min(turnMs, patienceMs / CROWD);
      return turnsMs + now() - movedAt; // a server that answers nothing will probably do so for as long again
    },
    retryAfter: (afterMs) => {
      const begin = Math.max(promisedUntil, now() + Math.max(0, afterMs));
      promisedUntil = Math.min(begin + turnMs, now() + longestMs);
      return Math.max(1, Math.ceil((promisedUntil - now()) / 1_000));
    },
    state: () => ({ inFlight, limit: limit.units }),
  };
};
