import { randomOf, type Random } from '../../chaos/load/random';
import { anomalies, type WeatherPlan } from './weather';

export type ServerName = 'temporal' | 'redis';

/** Harm done to a process, a server or the way between two, by its name in a trace. Times are virtual (ms). */
export type Fault = { readonly at: number; readonly forMs: number } & (
  | { readonly kind: 'crash' | 'freeze' | 'slow'; readonly of: string }
  | { readonly kind: 'restart'; readonly of: ServerName }
  | { readonly kind: 'full' | 'failover' | 'replica cut' }
  | { readonly kind: 'cut'; readonly of: string; readonly from: ReadonlyArray<ServerName> }
  | { readonly kind: 'clock jump'; readonly of: string; readonly by: number }
);

/** Whether the bounds of the outbox, or those of a run, are so small that a few calls meet them. */
export type Bounds = 'shipped' | 'small outbox' | 'small runs';

/** All that decides a schedule; the rest follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly nodes: number;
  readonly apis: number;
  readonly workers: number;
  /** Which APIs relay (`EVENT_RELAY=api`), and which read from a cache (`READS=cache`). */
  readonly relays: ReadonlyArray<boolean>;
  readonly caches: ReadonlyArray<boolean>;
  readonly bounds: Bounds;
  readonly replicasRequired: number;
  readonly replicaLagMs: number;
  /** `appendfsync always`, or what a restart may lose (ms). */
  readonly restartLosesMs: number;
  /** How many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  /** Tasks of a run after which Temporal suggests to continue as new. */
  readonly suggestsAfter: number;
  readonly callers: number;
  readonly writes: number;
  readonly reads: number;
  readonly pauseMs: number;
  readonly keyed: number;
  readonly signals: number;
  readonly waitingCalls: number;
  readonly weather: WeatherPlan;
  readonly faults: ReadonlyArray<Fault>;
  /** How long (ms) everything is watched after it has come to rest. */
  readonly watchedMs: number;
  /** By how much (ms) the clock was ahead under which the nodes lived before, and were terminated; 0: they did not. */
  readonly livedAheadMs: number;
}

/** The plan of a seed: a few processes, a few calls, and mostly one or two kinds of harm, so that each is seen alone too. */
export const planOf = (seed: number): Plan => {
  const plan = usualPlanOf(seed);
  // What is rare is drawn apart, so that a schedule without it stays as it was before that was drawn.
  const apart = randomOf(Math.imul(seed, 0xc2b2ae35) ^ 0x846ca68b);
  const maxLength = maxLengthOf(apart, plan);
  return {
    ...plan,
    maxLength,
    livedAheadMs: livedAheadMsOf(randomOf(Math.imul(seed, 0x27d4eb2f) ^ 461)),
  };
};

const usualPlanOf = (seed: number): Plan => {
  const random = randomOf(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995);
  const chance = (share: number): boolean => random.draw() < share;
  const between = (from: number, to: number): number => from + random.below(to - from + 1);
  const apis = random.pick([1, 2, 2, 3]);
  const workers = random.pick([1, 2, 2]);
  const nodes = random.pick([1, 1, 1, 2]);
  const each = (share: number): ReadonlyArray<boolean> => {
    const isMixed = chance(0.2);
    const all = chance(share);
    return Array.from({ length: apis }, () => (isMixed ? chance(0.5) : all));
  };
  const rates = Object.fromEntries(
    anomalies.flatMap((anomaly) => (chance(0.2) ? [[anomaly, random.pick([0.01, 0.03, 0.1])] as const] : [])),
  );
  const replicasRequired = chance(0.3) ? 1 : 0;
  const callers = between(1, 3);
  const writes = between(2, 7);
  const pauseMs = random.pick([2, 20, 100, 400]);
  const lastsMs = lastsMsOf({ callers, writes, pauseMs });
  return {
    ...{ seed, nodes, apis, workers },
    relays: each(0.85),
    caches: each(0.3),
    bounds: random.pick(['shipped', 'shipped', 'small outbox', 'small runs'] as const),
    replicasRequired,
    replicaLagMs: random.pick([1, 5, 30]),
    maxLength: 0,
    // With replicas required nothing may be lost, so nothing but a failover may lose it.
    restartLosesMs: chance(0.7) || replicasRequired > 0 ? 0 : random.draw() * 2_000,
    suggestsAfter: random.pick([3, 6, 12, 1_000, 1_000]),
    ...{ callers, writes, pauseMs },
    reads: random.pick([0, 2, 6]),
    keyed: random.pick([0, 0.5, 1]),
    signals: chance(0.15) ? between(1, 3) : 0,
    waitingCalls: random.pick([2, 256, 256]),
    weather: {
      rates: chance(0.75) ? rates : {},
      usualMs: random.pick([0.5, 1, 5]),
      slowShare: random.pick([0, 0.02, 0.1]),
      muted: new Set(),
    },
    faults: Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () =>
      faultOf(random, { apis, workers, lastsMs, replicasRequired }),
    ),
    watchedMs: chance(0.05) ? 75_000 : 1_500,
    livedAheadMs: 0,
  };
};

interface Places {
  readonly apis: number;
  readonly workers: number;
  /** How long callers call, about. */
  readonly lastsMs: number;
  readonly replicasRequired: number;
}

const faultOf = (random: Random, { apis, workers, lastsMs, replicasRequired }: Places): Fault => {
  const at = random.draw() * 1.2 * lastsMs;
  const forMs = random.pick([5, 100, 1_000, 2_500, 6_000]) * (0.5 + random.draw());
  const api = `api${random.below(apis) + 1}`;
  const worker = `worker${random.below(workers) + 1}`;
  const kinds: ReadonlyArray<Fault> = [
    { at, forMs, kind: 'crash', of: api },
    { at, forMs, kind: 'crash', of: api },
    { at, forMs, kind: 'freeze', of: api },
    { at, forMs, kind: 'slow', of: api },
    { at, forMs, kind: 'crash', of: worker },
    { at, forMs, kind: 'crash', of: worker },
    { at, forMs, kind: 'freeze', of: worker },
    { at, forMs, kind: 'slow', of: worker },
    { at, forMs, kind: 'restart', of: 'temporal' },
    { at, forMs, kind: 'freeze', of: 'temporal' },
    { at, forMs, kind: 'restart', of: 'redis' },
    { at, forMs, kind: 'freeze', of: 'redis' },
    { at, forMs, kind: 'full' },
    { at, forMs, kind: 'failover' },
    ...(replicasRequired > 0 ? [{ at, forMs, kind: 'replica cut' } as const] : []),
    { at, forMs, kind: 'cut', of: api, from: ['temporal', 'redis'] },
    { at, forMs, kind: 'cut', of: api, from: ['temporal'] },
    { at, forMs, kind: 'cut', of: api, from: ['redis'] },
    { at, forMs, kind: 'cut', of: worker, from: ['temporal'] },
    { at, forMs, kind: 'cut', of: worker, from: ['redis'] },
    {
      ...{ at, forMs, kind: 'clock jump' },
      of: random.pick([api, 'temporal', 'redis']),
      by: (random.draw() - 0.5) * random.pick([20, 4_000, 120_000]),
    },
  ];
  return random.pick(kinds);
};

/** The share of schedules whose nodes are set up anew. */
const LIVED_BEFORE = 0.1;

const livedAheadMsOf = (random: Random): number =>
  random.draw() < LIVED_BEFORE ? random.pick([20, 500, 5_000, 3_600_000]) : 0;

/** The share of schedules with a read cache whose stream is trimmed, so early that a follower misses entries. */
const TRIMMED = 0.15;

const maxLengthOf = (random: Random, { caches }: Plan): number =>
  caches.some(Boolean) && random.draw() < TRIMMED ? random.pick([1, 2, 4]) : 0;

/** How long (ms) callers call, about. */
const lastsMsOf = ({ callers, writes, pauseMs }: Pick<Plan, 'callers' | 'writes' | 'pauseMs'>): number =>
  30 + Math.ceil(writes / callers) * pauseMs;
