/** The job of a load generator, its only argument as JSON. */
export interface Job {
  readonly calls: Calls;
  readonly nodes: Nodes;
  readonly pattern: Pattern;
  /** Calls before the first window do not count. */
  readonly warmUpMs: number;
  readonly windowMs: number;
  /** Consecutive windows. */
  readonly windows: number;
  /** Where the API answers, and the token of its caller. */
  readonly api: string;
  readonly token: string;
  /** `host:port` of the server that the baseline's calls go to. */
  readonly temporal: string;
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

/** A call of the service by HTTP. */
export type HttpCalls =
  | { readonly kind: 'setThreshold' | 'setSpectrumThreshold' | 'alarmStatus' | 'threshold' }
  /** One in so many measurements of a node is in DANGER; of the nodes each takes the next number, in turn. */
  | { readonly kind: 'recordMeasurement'; readonly dangerEvery: ReadonlyArray<number> }
  | { readonly kind: 'recordSpectrum'; readonly lines: number }
  /** Of the thresholds of so many nodes. */
  | { readonly kind: 'batch'; readonly size: number };

/** A call of a plain entity by the Temporal client; an update carries so many bytes besides. */
export type BaselineCalls =
  | { readonly kind: 'baselineStart' | 'baselineFlap' | 'baselineQuery' }
  | { readonly kind: 'baselineUpdate'; readonly bytes?: number };

/** What one call does. */
export type Calls = HttpCalls | BaselineCalls;

export const isBaseline = (calls: Calls): calls is BaselineCalls => calls.kind.startsWith('baseline');

/** `each`: every node once; `closed`: each caller makes its next call when the last is answered; `fixed`: at fixed times. */
export type Pattern =
  | { readonly kind: 'each' | 'closed'; readonly callers: number }
  | { readonly kind: 'fixed'; readonly perSecond: number };

/** The figures of a window. Times of calls are in ms; a call at a fixed time counts from when it was due. */
export interface Window {
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

/** A line of what a load generator prints: each window as it ends, and at last the number of failed calls by their error. */
export type ResultLine = { readonly window: Window } | { readonly faults: Readonly<Record<string, number>> };

export const BASELINE_TASK_QUEUE = 'baseline';

/**
 * Of a node's measurements one in so many is in DANGER, the nodes in turn: one in a hundred is, so that one in fifty changes
 * the status, or every other is, so that each changes it, or either with half of the nodes.
 */
export const CALM = [100];
export const FLAPPING = [2];
export const CALM_AND_FLAPPING = [...CALM, ...FLAPPING];
/** No measurement in DANGER. No infinity, which JSON does not have. */
export const NEVER = [Number.MAX_SAFE_INTEGER];

/** The node of this place in a set; no two sets share a node. */
export const nodeId = (set: number, place: number): string =>
  `be9c0000-${set.toString(16).padStart(4, '0')}-4000-8000-${place.toString(16).padStart(12, '0')}`;
