import { FEWEST, FIRST_LIMIT, isSlow, nextLimit, weightOf, type RoundTrip } from './concurrency-limit';
import type { WaitingList } from './waiting-list';

/** Length (ms) of a window, whose round trips adjust the limit; and the weight of a new value in the moving averages. */
const WINDOW_MS = 100;
const MOVE = 0.3;

/** While the server answers, a wait of this many turns is acceptable: the first round trips of a new process are slow. */
const CROWD = 64;

/** After two successive calls of different users, several users count as calling for this time (ms). */
const RECENT_MS = 1_000;

/**
 * The part of the limit (in units) that a user who floods (`floods`) may hold while others call. A slow round trip multiplies
 * this share by `slow`, any other by `fast`, so that about one round trip in a hundred is slow. The share is a mean over
 * time: one unit that is held for a quarter of the time counts as a quarter.
 */
const FLOOD = { first: 1, least: 1 / 4, slow: 0.9, fast: 1.001 };

/** A unit is overtaken once the server has answered a unit that was sent this much later (ms). */
const OVERTAKEN_MS = 150;

/** Fewest slots for failing nodes, on top of the limit. Each failing node that answers adds one: after an outage, most do. */
const FEWEST_FOR_FAILING = FEWEST;

/**
 * A probe is a unit that is sent beyond the limit while the server answers nothing. The pause (ms) before the next probe is
 * `PROBE_MS`, or `PROBE_SHARE` of the silence so far if that is longer.
 */
export const PROBE_MS = 10;
const PROBE_SHARE = 1 / 40;

export type Slots = ReturnType<typeof createSlots>;

/** One attempt to send a group, or a read, to a node. It holds as many slots as it weighs. */
export interface Unit {
  readonly userId: string;
  readonly kind: string;
  readonly weight: number;
  readonly isFailing: boolean;
  /** Whether the unit was sent although all slots were taken. */
  readonly isProbe: boolean;
  readonly sentAt: number;
  readonly inFlight: number;
}

/**
 * The slots of a process: the units in flight weigh at most as much as the server takes at once. `nodes` and `failing` list
 * the nodes that wait for a slot. `patienceMs`: longest expected wait with which a call is accepted. `longestMs`: longest time
 * until a refused caller may come back.
 *
 * A stuck node must not hold a slot that other nodes wait for. So an overtaken unit holds no slot, and failing nodes have slots
 * of their own. While nothing is answered, one probe after the other shows whether the server is silent, or only some nodes.
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
  const slotHolders = new Set<Unit>(); // the units that hold slots, the oldest first
  const failingSlotHolders = new Set<Unit>();
  const weightByUser = new Map<string, number>(); // weight in flight by user; a flooding user's unit counts for longer (`release`)
  let inFlight = 0;
  let limit = FIRST_LIMIT;
  let peakUnits = 0; // most weight in flight in this window
  let trips: RoundTrip[] = [];
  let flooded = 0; // round trips of flooding users in this window
  let share = FLOOD.first;
  let windowBegan = now();
  let wasFull = false;
  let turnMs = 0;
  let promisedUntil = 0;
  let lastProgressAt = now(); // when the server last answered, or an arriving call last found a free slot
  let nextProbeAt = 0; // when the next probe is due
  let failingSlots = FEWEST_FOR_FAILING; // slots for failing nodes; a further failure resets them to the fewest
  let failingMs = OVERTAKEN_MS; // moving average of the time that a failing node holds its slot
  let lastUser: string | undefined;
  let sharedUntil = 0;
  const isShared = (): boolean => now() < sharedUntil;
  const isFull = (): boolean => inFlight >= limit.units;

  const recordProgress = (): void => {
    lastProgressAt = now();
    nextProbeAt = lastProgressAt + OVERTAKEN_MS;
  };
  const mayProbe = (): boolean => now() >= nextProbeAt;

  /** Expected time (ms) until the unit at this turn of the waiting list gets its slot. */
  const waitMs = (turn: number): number => {
    if (!hasMore() && (!isFull() || mayProbe())) return 0;
    const turnsMs = turn * Math.min(turnMs, patienceMs / CROWD);
    const silentMs = now() - lastProgressAt; // the silence will probably last for as long again
    return turn <= CROWD ? Math.max(turnsMs, silentMs) : turnsMs + silentMs;
  };
  /**
   * Whether the user floods: several users call, more than half of the turns are this user's, and the last turn of all would
   * wait longer than half of `patienceMs`.
   */
  const floods = (userId: string): boolean =>
    isShared() && 2 * nodes.of(userId) > nodes.turns() && waitMs(nodes.turns()) > patienceMs / 2;

  /** True for a first unit, or if one user calls. Else the user must hold less than is free and, if flooding, than `share`. */
  const mayTakeSlot = (userId: string): boolean => {
    const [left, own] = [limit.units - inFlight, weightByUser.get(userId) ?? 0];
    return own === 0 || !isShared() || own < (floods(userId) ? Math.min(share, left) : left);
  };
  const nextProbe = (): ReturnType<typeof nodes.next> => {
    if (!hasMore() || !mayProbe()) return undefined;
    const pauseMs = Math.max(PROBE_MS, PROBE_SHARE * (now() - lastProgressAt));
    nextProbeAt = Math.max(nextProbeAt, now() - 2 * pauseMs) + pauseMs; // a timer that fires late makes up for two probes at most
    return nodes.next();
  };
  const releaseFromUser = ({ userId, weight }: Unit): void => {
    const rest = (weightByUser.get(userId) ?? 0) - weight;
    if (rest > 0) weightByUser.set(userId, rest);
    else weightByUser.delete(userId);
  };
  /** Gives the slots of a unit back, if the unit still holds them. Its weight counts against its user for `pauseMs` longer. */
  const release = (unit: Unit, pauseMs = 0): void => {
    if (failingSlotHolders.delete(unit)) failingMs += MOVE * (now() - unit.sentAt - failingMs);
    if (!slotHolders.delete(unit)) return;
    wasFull ||= hasMore();
    inFlight -= unit.weight;
    if (pauseMs > 0) setTimeout(releaseFromUser, pauseMs, unit);
    else releaseFromUser(unit);
  };
  /** At the end of a window that had round trips, adjusts the limit and the estimated time of a turn to them. */
  const adjustLimit = (): void => {
    if (trips.length === 0 || now() - windowBegan < WINDOW_MS) return;
    const next = nextLimit(limit, trips, wasFull ? undefined : peakUnits, isShared());
    // While a flooding user is held back, slots are free although units wait. So let the limit grow only to twice its use.
    const most = flooded > 0 ? Math.max(limit.units, 2 * peakUnits) : Infinity;
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
    peakUnits = inFlight;
  };
  return {
    adjustLimit,
    waitMs,
    /** Reports that an attempt failed. Its unit gives the slots back. */
    releaseFailed: (unit: Unit): void => {
      if (unit.isFailing) failingSlots = FEWEST_FOR_FAILING;
      release(unit);
    },
    /** Expected time (ms) until one more failing node gets a slot. */
    failingWaitMs: (): number => (failing.turns() / failingSlots) * failingMs,
    /** Reports that a call of the user was accepted. */
    recordArrival: (userId: string): void => {
      if (lastUser !== undefined && userId !== lastUser) sharedUntil = now() + RECENT_MS;
      lastUser = userId;
      if (!hasMore() && !isFull()) recordProgress();
    },
    /** The next node that may have a slot, which leaves its list, and the user whose turn it is. Undefined if there is none. */
    next: (): readonly [userId: string, nodeId: string] | undefined =>
      (failingSlotHolders.size < failingSlots ? failing.next() : undefined) ??
      (isFull() ? nextProbe() : nodes.next(mayTakeSlot)),
    acquire: (kind: string, userId: string, isFailing: boolean): Unit => {
      const weight = weightOf(limit, kind, usualKind);
      const isProbe = !isFailing && isFull();
      if (!isFailing) {
        inFlight += weight;
        weightByUser.set(userId, (weightByUser.get(userId) ?? 0) + weight);
        peakUnits = Math.max(peakUnits, inFlight);
      }
      const unit = { userId, kind, weight, isFailing, isProbe, sentAt: now(), inFlight };
      (isFailing ? failingSlotHolders : slotHolders).add(unit);
      return unit;
    },
    /**
     * Reports that a unit was answered. This unit and those that it overtook give their slots back. `showsLoad`: whether
     * the round trip shows how busy the server is.
     */
    releaseAnswered: (unit: Unit, showsLoad: boolean): void => {
      const { kind, userId, sentAt } = unit;
      // An overtaken unit only shows that its node is slow, and a probe waited for the end of the silence: skip both.
      const counts = showsLoad && !unit.isProbe && (slotHolders.has(unit) || failingSlotHolders.has(unit));
      recordProgress();
      for (const units of [slotHolders, failingSlotHolders]) {
        for (const other of units) {
          if (other.sentAt > sentAt - OVERTAKEN_MS) break;
          release(other);
        }
      }
      if (unit.isFailing) failingSlots = Math.max(FEWEST_FOR_FAILING, Math.min(failingSlots + 1, limit.units));
      const ms = now() - sentAt;
      if (counts) trips.push({ kind, ms, inFlight: unit.inFlight });
      if (counts && isShared()) {
        const moved = share * (isSlow(limit, kind, ms) ? FLOOD.slow : FLOOD.fast);
        share = Math.max(FLOOD.least, Math.min(moved, limit.units));
      }
      if (counts && floods(userId)) {
        flooded += 1;
        release(unit, (Math.ceil(share) / share - 1) * ms);
      } else release(unit);
      adjustLimit();
    },
    /** `Retry-After` (s) of a call refused now: a turn later than that of the last refused call, not before `afterMs`. */
    retryAfter: (afterMs: number): number => {
      const begin = Math.max(promisedUntil, now() + Math.max(0, afterMs));
      promisedUntil = Math.min(begin + turnMs, now() + longestMs);
      return Math.max(1, Math.ceil((promisedUntil - now()) / 1_000));
    },
    state: () => ({ inFlight: inFlight + failingSlotHolders.size, limit: limit.units }),
  };
};
