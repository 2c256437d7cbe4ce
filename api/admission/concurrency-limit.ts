/** The load that a server takes at once without making each unit wait much, as its round trips tell. */
export interface Limit {
  /** Most units in flight, by their weight. */
  readonly units: number;
  /** Round trip (ms) of each kind of unit on a server that has little to do. */
  readonly leastMs: Readonly<Record<string, number>>;
}

/** A unit that the server answered. */
export interface RoundTrip {
  readonly kind: string;
  readonly ms: number;
  /** The weight in flight when it was sent, its own included. */
  readonly inFlight: number;
}

/** Fewest units at once: enough to keep a small server busy. Round trips beside no more tell how fast it is at best. */
export const FEWEST = 4;

/** A trip within this (ms) is no sign of a busy server: on a busy machine the event loop and the scheduler take as long. */
export const SHORT_MS = 50;

/**
 * How long a round trip may take, in ms or in times its least: beyond both, units wait in the server rather than here. While
 * several users call it is less, since what one of them sends in masses must not make the server slow for all.
 */
const ALONE = { ms: SHORT_MS, times: 4 };
const SHARED = { ms: SHORT_MS / 4, times: 2 };

/** Share of a limit that a window keeps which did not use half of it: a crowd that comes later must not begin with too much. */
const UNUSED = 0.9;

/** Share by which `leastMs` follows a server that has become slower, once there is less to send. */
const FOLLOW = 0.2;

/** A unit weighs at most as much as this many others. */
const HEAVIEST = 8;

/** The first limit: what is sent beside no more tells the least round trip. */
export const FIRST_LIMIT: Limit = { units: FEWEST, leastMs: {} };

/**
 * The limit after a window of `trips`; `used`: most units in flight, where there was no more to send; `isShared`: by several users.
 * By the gradient of the round trip: it shrinks by how much the median exceeds the tolerance, and grows by its root, by which
 * the smaller one of processes that share a server grows by the larger share.
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
  // Under load another process may be why they take long: two would raise each other's least for ever.
  return isFull || alone.length === 0 ? known : known + FOLLOW * Math.max(0, median(alone.map(({ ms }) => ms)) - known);
};

/** Whether a round trip takes longer than those of a server that one user alone keeps busy. */
export const isSlow = ({ leastMs }: Limit, kind: string, ms: number): boolean =>
  ms > Math.max(SHARED.ms, ALONE.times * (leastMs[kind] ?? ms));

/** What a unit of `kind` costs, where one of `usual` costs 1: by their least round trips, in quarters, whose sums are exact. */
export const weightOf = ({ leastMs }: Limit, kind: string, usual: string): number => {
  const [own, one] = [leastMs[kind], leastMs[usual]];
  return own === undefined || one === undefined ? 1 : Math.max(1, Math.min(HEAVIEST, Math.round((4 * own) / one) / 4));
};

/** The middle value: a few nodes that take long by themselves do not move it. */
export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 1;
