import type { Random } from '../../chaos/load/random';

/** What may happen to a message or a step, each at the rate of its schedule. */
export const anomalies = [
  'redis: connection lost before the command',
  'redis: reply lost after the command',
  'redis: command late',
  'temporal: request lost',
  'temporal: request late, and given up',
  'temporal: answer lost',
  'temporal: answer late',
  'temporal: task lost on its way',
  'temporal: completion lost',
  'temporal: completion late',
  'worker: node evicted',
] as const;
export type Anomaly = (typeof anomalies)[number];

/** Keeps a line of the trace: who did what, to whom. */
export type NoteOf = (who: string, what: string, to?: string) => void;

/** No message comes later than this (ms). */
export const LATEST_MS = 6_000;

/** How messages fare: their latency, and what becomes of them. */
export interface Weather {
  /** The time (ms) of one way of a message. */
  readonly latency: () => number;
  /** Whether `anomaly` happens now. */
  readonly shouldInject: (anomaly: Anomaly) => boolean;
  readonly draw: () => number;
  /** Nothing unusual happens any more. */
  readonly clear: () => void;
}

export interface WeatherPlan {
  /** The chance of each anomaly; 0 for those that are not there. */
  readonly rates: Readonly<Partial<Record<Anomaly, number>>>;
  /** The usual latency (ms), and the share of messages that take up to a hundred times as long. */
  readonly usualMs: number;
  readonly slowShare: number;
  /** Anomalies that would happen and do not, by their number in order: a shrunk schedule leaves some out. */
  readonly muted: ReadonlySet<number>;
}

export const createWeather = (
  { rates, usualMs, slowShare, muted }: WeatherPlan,
  random: Random,
  injected: (anomaly: Anomaly, number: number) => void,
): Weather => {
  const chances = new Map<Anomaly, number>(Object.entries(rates) as ReadonlyArray<[Anomaly, number]>);
  let happened = 0;
  let slow = slowShare;
  return {
    latency: () => {
      const drawn = random.draw();
      const ms = usualMs * (0.2 + 1.6 * random.draw());
      return drawn < slow ? ms * 100 * random.draw() : ms;
    },
    shouldInject: (anomaly) => {
      const chance = chances.get(anomaly);
      if (chance === undefined || random.draw() >= chance) return false;
      happened += 1;
      if (muted.has(happened)) return false;
      injected(anomaly, happened);
      return true;
    },
    draw: random.draw,
    clear: () => {
      chances.clear();
      slow = 0;
    },
  };
};
