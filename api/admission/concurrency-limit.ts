/**
 * How many units the Temporal server takes at once without long waits, as its round trips show. A unit is one attempt to send a
 * group of commands, or a read, to a node.
 */
export interface Limit {
  /** Most units in flight, where each unit counts as its weight (`weightOf`). */
  readonly units: number;
  /** Round trip (ms) of each kind of unit while the server has little to do: the least round trip. */
  readonly leastMs: Readonly<Record<string, number>>;
}

export interface RoundTrip {
  readonly kind: string;
  readonly ms: number;
  /** The weight of all units in flight when this unit was sent, its own weight included. */
  readonly inFlight: number;
}

/** The lowest limit, which still keeps a small server busy. With so few units in flight, round trips show its best speed. */
export const FEWEST = 4;

/** Round trips up to this time (ms) do not show a busy server: a busy event loop and scheduler alone can cause them. */
export const SHORT_MS = 50;

/**
 * Tolerated round trip: `ms`, or `times` the least round trip if this is longer. If round trips are longer, units queue in the
 * server rather than in this process. `ALONE` applies while one user calls. `SHARED`, for several users, is lower, so that the
 * flood of one user does not make the server slow for all.
 */
const ALONE = { ms: SHORT_MS, times: 4 };
const SHARED = { ms: SHORT_MS / 4, times: 2 };

/** If a window used less than half of the limit, the limit shrinks, by this factor at most: a later burst must start small. */
const UNUSED = 0.9;

/** Part of the difference by which `leastMs` rises when a server is slower than before even with few units in flight. */
const FOLLOW = 0.2;

/** Greatest weight of a unit. A unit of the usual kind weighs 1. */
const HEAVIEST = 8;

/** Start with few units in flight, so that the first round trips measure an idle server. */
export const FIRST_LIMIT: Limit = { units: FEWEST, leastMs: {} };

/**
 * The limit after a time window with the round trips `trips`. `used`: the most weight in flight in the window; undefined if
 * units waited for a slot. `isShared`: several users call. The limit shrinks by the ratio of the tolerated round trip to the
 * median one. If units waited, it grows by half its own square root: of several processes that share a server, the one with the
 * smaller limit grows faster in proportion.
 */
export const nextLimit = (
  { units, leastMs }: Limit,
  trips: ReadonlyArray<RoundTrip>,
  used: number | undefined,
  isShared = false,
): Limit => {
  const isFull = used === undefined;
  const least = { ...leastMs };
  for (const kind of new Set(trips.map((trip) => trip.kind))) least[kind] = leastOf(leastMs[kind], trips, kind, isFull);
  const { ms: short, times } = isShared ? SHARED : ALONE;
  const longest = (leastOfKind: number): number => Math.max(short, times * leastOfKind);
  const excess = median(trips.map(({ kind, ms }) => ms / longest(least[kind] ?? ms)));
  const gradient = Math.max(0.5, Math.min(1, 1 / excess));
  const grown = units * gradient + (isFull ? Math.sqrt(units) / 2 : 0);
  return {
    units: Math.max(FEWEST, isFull ? grown : Math.min(grown, Math.max(units * UNUSED, 2 * used))),
    leastMs: least,
  };
};

const leastOf = (known: number | undefined, trips: ReadonlyArray<RoundTrip>, kind: string, isFull: boolean): number => {
  const ofKind = trips.filter((trip) => trip.kind === kind);
  const now = median(ofKind.map(({ ms }) => ms));
  if (known === undefined || now < known) return now;
  const alone = ofKind.filter(({ inFlight }) => inFlight <= FEWEST);
  // Raise the least round trip only when no unit waited. Under load, the units of another process may cause long round trips,
  // and two processes would raise each other's least round trip for ever.
  return isFull || alone.length === 0 ? known : known + FOLLOW * Math.max(0, median(alone.map(({ ms }) => ms)) - known);
};

/** Whether a round trip is slow: longer than `SHARED.ms`, and longer than a single busy user may make it (`ALONE.times`). */
export const isSlow = ({ leastMs }: Limit, kind: string, ms: number): boolean =>
  ms > Math.max(SHARED.ms, ALONE.times * (leastMs[kind] ?? ms));

/** Cost of a unit of `kind` in units of `usual`: the ratio of their least round trips, in quarters, whose sums are exact. */
export const weightOf = ({ leastMs }: Limit, kind: string, usual: string): number => {
  const [own, one] = [leastMs[kind], leastMs[usual]];
  return own === undefined || one === undefined ? 1 : Math.max(1, Math.min(HEAVIEST, Math.round((4 * own) / one) / 4));
};

/** The middle value (1 if there is none). A few nodes that are slow by themselves do not move it, unlike the mean. */
export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 1;
