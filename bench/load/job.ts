/** What a load generator is to do: it reads this from a file, and writes what it saw to another one. */
export interface Job {
  readonly target: Target;
  readonly pace: Pace;
  /** Calls before the first window do not count. */
  readonly warmUpMs: number;
  readonly windowMs: number;
  /** Windows one after the other. */
  readonly windows: number;
  /** Process ids by the part that they belong to: their use of the machine is read with each window. */
  readonly processes: Readonly<Record<string, ReadonlyArray<number>>>;
  /** Their sizes are read with each window. */
  readonly files: ReadonlyArray<string>;
}

/** Nodes of a set, by `nodeId(set, 0..count-1)`. */
export interface Nodes {
  readonly set: number;
  readonly count: number;
}

/** What one call does. The service is called by HTTP, the floor by the Temporal client. */
export type Target =
  | {
      readonly kind: 'setThreshold' | 'recordMeasurement' | 'alarmStatus' | 'threshold';
      readonly base: string;
      /** Taken in turn. */
      readonly tokens: ReadonlyArray<string>;
      readonly nodes: Nodes;
    }
  | {
      readonly kind: 'batch';
      readonly base: string;
      readonly tokens: ReadonlyArray<string>;
      readonly nodes: Nodes;
      readonly size: number;
    }
  | {
      readonly kind: 'floorStart' | 'floorUpdate' | 'floorQuery';
      readonly address: string;
      readonly nodes: Nodes;
    };

/** One that is called by HTTP. */
export type HttpTarget = Extract<Target, { readonly base: string }>;

/** `each`: every node once; `closed`: each caller makes its next call when the last is answered; `paced`: at fixed times. */
export type Pace =
  | { readonly kind: 'each'; readonly callers: number }
  | { readonly kind: 'closed'; readonly callers: number }
  | { readonly kind: 'paced'; readonly perSecond: number };

/** What a window showed. Times of calls are in ms; of a paced call from the time when it was due. */
export interface Window {
  readonly seconds: number;
  readonly calls: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Cores that each part used; `load` is the generator itself, `others` what is not of this benchmark. Empty without /proc. */
  readonly cores: Readonly<Record<string, number>>;
  /** Resident memory of each part, bytes. */
  readonly resident: Readonly<Record<string, number>>;
  /** Of all files together. */
  readonly fileBytes: number;
}

/** How many calls failed, by what came instead of an answer. */
export type Faults = Readonly<Record<string, number>>;

/** A line of what a load generator writes: a window as it ends, and the faults at last. */
export type Told = { readonly window: Window } | { readonly faults: Faults };

export interface LoadResult {
  readonly windows: ReadonlyArray<Window>;
  readonly faults: Faults;
}

/** The node of this place in a set; no two sets share a node. */
export const nodeId = (set: number, place: number): string =>
  `be9c0000-${set.toString(16).padStart(4, '0')}-4000-8000-${place.toString(16).padStart(12, '0')}`;
