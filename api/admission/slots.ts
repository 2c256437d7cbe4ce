import { FEWEST, FIRST_LIMIT, isSlow, nextLimit, weightOf, type RoundTrip } from './concurrency-limit';
import type { WaitingList } from './waiting-list';

/** Time (ms) after which round trips move the limit, and the share by which a window moves the estimate of a turn. */
const WINDOW_MS = 100;
const MOVE = 0.3;

/** Turns for which there is always time: the slow first trips of a cold process must not turn a crowd of patient callers away. */
const CROWD = 64;

/** Time (ms) for which a user who called counts as one of several. */
const RECENT_MS = 1_000;

/**
 * The units that a user who floods may hold beside others; a quarter is one unit in flight for a quarter of the time. It follows
 * the round trips, so that about one in a hundred of them is slow.
 */
const FLOOD = { first: 1, least: 1 / 4, slow: 0.9, fast: 1.001 };

/** Lead (ms) by which a unit is overtaken: one that was sent so much later is answered already. */
const OVERTAKEN_MS = 150;

/** Fewest slots for nodes that fail, besides the limit: each that answers makes one more, as after an outage most do. */
const FEWEST_FOR_FAILING = FEWEST;

/** Pause (ms) between the units that are sent beyond the limit while the server is silent; later this share of the silence. */
export const PROBE_MS = 10;
const PROBE_SHARE = 1 / 40;

export type Slots = ReturnType<typeof createSlots>;

/** An attempt in flight to a node, which holds slots by its weight. */
export interface Unit {
  readonly userId: string;
  readonly kind: string;
  readonly weight: number;
  readonly isFailing: boolean;
  /** Whether it was sent beyond the limit. */
  readonly isProbe: boolean;
  readonly sentAt: number;
  /** The weight in flight when it was sent, its own included. */
  readonly inFlight: number;
}

/**
 * The slots of a process, for the `nodes` that wait, and for those that are `failing`: as many units are in flight as the server
 * takes at once, by their weight. `patienceMs`: the longest wait that is worth while. `longestMs`: after that, whoever was refused
 * may come back in any case.
 *
 * One node must not hold what the others wait for. A unit that is overtaken holds no slot any more; nodes that fail have slots of
 * their own; and while nobody is answered, one more unit at a time shows whether that is the server or the nodes that were asked.
 */
export const createSlots = (
  nodes: WaitingList<string>,
  failing: WaitingList<string>,
  usualKind: string,
  patienceMs: number,
  longestMs: number,
) => {
  const now = (): number => performance.now();
  const hasMore = (): boolean => nodes.turns() > 0;
  const held = new Set<Unit>(); // the oldest first
  const heldByFailing = new Set<Unit>();
  const ofUsers = new Map<string, number>(); // with those after which a user pauses
  let inFlight = 0;
  let limit = FIRST_LIMIT;
  let mostUnits = 0; // of the window
  let trips: RoundTrip[] = [];
  let flooded = 0; // trips of a user who floods
  let share = FLOOD.first;
  let windowBegan = now();
  let wasFull = false;
  let turnMs = 0;
  let promisedUntil = 0;
  let heardAt = now(); // when the server answered last, or had nothing to answer
  let probesAt = 0; // when the next one beyond the limit is due
  let forFailing = FEWEST_FOR_FAILING; // one that fails again takes those beyond the fewest back
  let failingMs = OVERTAKEN_MS; // for which a node that fails has held its slot lately
  let lastUser: string | undefined;
  let sharedUntil = 0;
  const isShared = (): boolean => now() < sharedUntil;
  const isFull = (): boolean => inFlight >= limit.units;

  const hears = (): void => {
    heardAt = now();
    probesAt = heardAt + OVERTAKEN_MS;
  };
  const mayProbe = (): boolean => now() >= probesAt;

  /** Time (ms) until the unit of this turn gets its slot. */
  const waitMs = (turn: number): number => {
    if (!hasMore() && (!isFull() || mayProbe())) return 0;
    const turnsMs = turn * Math.min(turnMs, patienceMs / CROWD);
    const silentMs = now() - heardAt; // a server that answers nothing will probably do so for as long again
    return turn <= CROWD ? Math.max(turnsMs, silentMs) : turnsMs + silentMs;
  };
  /** Whether most of what waits, and too much of it, is the user's, while others call. */
  const floods = (userId: string): boolean =>
    isShared() && 2 * nodes.of(userId) > nodes.turns() && waitMs(nodes.turns()) > patienceMs / 2;

  /** Whether a unit of the user may be sent: while several users call, each may hold as much as is left for others. */
  const mayHave = (userId: string): boolean => {
    const [left, own] = [limit.units - inFlight, ofUsers.get(userId) ?? 0];
    return own === 0 || !isShared() || own < (floods(userId) ? Math.min(share, left) : left);
  };
  const probed = (): ReturnType<typeof nodes.next> => {
    if (!hasMore() || !mayProbe()) return undefined;
    const pauseMs = Math.max(PROBE_MS, PROBE_SHARE * (now() - heardAt));
    probesAt = Math.max(probesAt, now() - 2 * pauseMs) + pauseMs; // a timer that was late makes up for little
    return nodes.next();
  };
  const leaveUser = ({ userId, weight }: Unit): void => {
    const rest = (ofUsers.get(userId) ?? 0) - weight;
    if (rest > 0) ofUsers.set(userId, rest);
    else ofUsers.delete(userId);
  };
  /** Gives the slots of a unit back, after `pauseMs` to its user; nothing where they were given back before. */
  const release = (unit: Unit, pauseMs = 0): void => {
    if (heldByFailing.delete(unit)) failingMs += MOVE * (now() - unit.sentAt - failingMs);
    if (!held.delete(unit)) return;
    wasFull ||= hasMore();
    inFlight -= unit.weight;
    if (pauseMs > 0) setTimeout(leaveUser, pauseMs, unit);
    else leaveUser(unit);
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
    mostUnits = inFlight;
  };
  return {
    follow,
    waitMs,
    /** A unit failed: it gives its slots back. */
    failed: (unit: Unit): void => {
      if (unit.isFailing) forFailing = FEWEST_FOR_FAILING;
      release(unit);
    },
    /** Time (ms) until a further node that fails gets its slot. */
    failingWaitMs: (): number => (failing.turns() / forFailing) * failingMs,
    /** A call of the user is taken in. */
    arrives: (userId: string): void => {
      if (lastUser !== undefined && userId !== lastUser) sharedUntil = now() + RECENT_MS;
      lastUser = userId;
      if (!hasMore() && !isFull()) hears();
    },
    /** The node that may be asked now, and the user whose turn it is; it is taken out of its list. */
    next: (): readonly [userId: string, nodeId: string] | undefined =>
      (heldByFailing.size < forFailing ? failing.next() : undefined) ?? (isFull() ? probed() : nodes.next(mayHave)),
    /** Takes the slots of a user's unit. */
    take: (kind: string, userId: string, isFailing: boolean): Unit => {
      const weight = weightOf(limit, kind, usualKind);
      const isProbe = !isFailing && isFull();
      if (!isFailing) {
        inFlight += weight;
        ofUsers.set(userId, (ofUsers.get(userId) ?? 0) + weight);
        mostUnits = Math.max(mostUnits, inFlight);
      }
      const unit = { userId, kind, weight, isFailing, isProbe, sentAt: now(), inFlight };
      (isFailing ? heldByFailing : held).add(unit);
      return unit;
    },
    /** A unit was answered: it gives its slots back, and so do those that it overtook. `isUsual`: its time is that of usual work. */
    answered: (unit: Unit, isUsual: boolean): void => {
      const { kind, userId, sentAt } = unit;
      // One that was overtaken tells of its node only, and a probe of the silence before.
      const tells = isUsual && !unit.isProbe && (held.has(unit) || heldByFailing.has(unit));
      hears();
      for (const units of [held, heldByFailing]) {
        for (const other of units) {
          if (other.sentAt > sentAt - OVERTAKEN_MS) break;
          release(other);
        }
      }
      if (unit.isFailing) forFailing = Math.max(FEWEST_FOR_FAILING, Math.min(forFailing + 1, limit.units));
      const ms = now() - sentAt;
      if (tells) trips.push({ kind, ms, inFlight: unit.inFlight });
      if (tells && isShared()) {
        const moved = share * (isSlow(limit, kind, ms) ? FLOOD.slow : FLOOD.fast);
        share = Math.max(FLOOD.least, Math.min(moved, limit.units));
      }
      if (tells && floods(userId)) {
        flooded += 1;
        release(unit, (Math.ceil(share) / share - 1) * ms);
      } else release(unit);
      follow();
    },
    /** Seconds until a call that is refused now will probably be served: a turn after the one before, not before `afterMs`. */
    retryAfter: (afterMs: number): number => {
      const begin = Math.max(promisedUntil, now() + Math.max(0, afterMs));
      promisedUntil = Math.min(begin + turnMs, now() + longestMs);
      return Math.max(1, Math.ceil((promisedUntil - now()) / 1_000));
    },
    state: () => ({ inFlight: inFlight + heldByFailing.size, limit: limit.units }),
  };
};
