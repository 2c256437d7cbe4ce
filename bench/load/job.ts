/** The job of a load generator, read from one file; its results go to another. */
export interface Job {
  readonly target: Target;
  readonly pattern: Pattern;
  /** Calls before the first window do not count. */
  readonly warmUpMs: number;
  readonly windowMs: number;
  /** Consecutive windows. */
  readonly windows: number;
  /** Process ids by name; their use of the machine is read with each window. */
  readonly processes: Readonly<Record<string, ReadonlyArray<number>>>;
  /** Their sizes are read with each window. */
  readonly files: ReadonlyArray<string>;
}

/** Nodes of a set, by `nodeId(set, 0..count-1)`. */
export interface Nodes {
  readonly set: number;
  readonly count: number;
}

interface ServiceTarget {
  readonly base: string;
  /** Taken in turn. */
  readonly tokens: ReadonlyArray<string>;
  readonly nodes: Nodes;
}

/** A call of the service by HTTP. */
export type HttpTarget =
  | (ServiceTarget & { readonly kind: 'setThreshold' | 'setSpectrumThreshold' | 'alarmStatus' | 'threshold' })
  | (ServiceTarget & { readonly kind: 'recordSpectrum'; readonly lines: number })
  /** One in so many measurements of a node is in DANGER; of the nodes each takes the next number, in turn. */
  | (ServiceTarget & { readonly kind: 'recordMeasurement'; readonly dangerEvery: ReadonlyArray<number> })
  | (ServiceTarget & { readonly kind: 'batch'; readonly size: number });

/** What one call does. The service is called by HTTP, the baseline by the Temporal client. */
export type Target =
  | HttpTarget
  | {
      readonly kind: 'baselineStart' | 'baselineUpdate' | 'baselineQuery' | 'baselineFlap';
      readonly address: string;
      readonly nodes: Nodes;
      /** What each update carries besides. */
      readonly bytes?: number;
    };

/** `each`: every node once; `closed`: each caller makes its next call when the last is answered; `fixed`: at fixed times. */
export type Pattern =
  | { readonly kind: 'each' | 'closed'; readonly callers: number }
  | { readonly kind: 'fixed'; readonly perSecond: number };

/** The figures of a window. Times of calls are in ms; a call at a fixed time counts from when it was due. */
export interface Window {
  readonly seconds: number;
  readonly calls: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Cores by process; `load` is the generator itself, `others` what is not of this benchmark. Empty without /proc. */
  readonly cores: Readonly<Record<string, number>>;
  /** Resident memory by process, bytes. */
  readonly resident: Readonly<Record<string, number>>;
  /** Of all files together. */
  readonly fileBytes: number;
}

/** Failed calls, by their error. */
export type Faults = Readonly<Record<string, number>>;

/** A line of what a load generator writes: each window as it ends, and the faults at last. */
export type ResultLine = { readonly window: Window } | { readonly faults: Faults };

export const BASELINE_TASK_QUEUE = 'baseline';

/** `dangerEvery` of a node that flaps: each second measurement is in DANGER. */
export const FLAPS = 2;

/** The node of this place in a set; no two sets share a node. */
export const nodeId = (set: number, place: number): string =>
  `be9c0000-${set.toString(16).padStart(4, '0')}-4000-8000-${place.toString(16).padStart(12, '0')}`;
