export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

/**
 * What a caller knows of a write in the end. Refused: surely not carried out, by a 4xx, by `mayHaveChanged: false`, or since
 * it was never sent. Unknown: it may have been carried out, or still be.
 */
export type Answer = 'acknowledged' | 'refused' | 'unknown';

/** What a write asks for; each one asks for something that no other write of the history asks for. */
export type Asked =
  | { readonly kind: 'setThreshold'; readonly threshold: JsonObject }
  | { readonly kind: 'patchThreshold'; readonly fullScale: number }
  | { readonly kind: 'recordMeasurement'; readonly measurementId: string; readonly createdAt: number }
  | { readonly kind: 'recalculate' }
  | { readonly kind: 'setExternalAlarm'; readonly status: number; readonly setBy: string };

/**
 * One write of a history. Its `id` is the user who asked for it, so that every event names the write behind it.
 *
 * Units: times in ms of one clock; `answeredAt` is infinite while nobody answered.
 */
export interface Write {
  readonly id: string;
  readonly nodeId: string;
  readonly asked: Asked;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

/** An entry of the stream, its fields as they stand there. */
export type Entry = Readonly<Record<string, string>>;

/** What a node's GETs answered in the end: alarm status and threshold. */
export type Final = { readonly nodeId: string; readonly alarmStatus: JsonObject; readonly threshold: JsonObject };

/** Everything that was done to some nodes from their first write on, and all that came of it. */
export interface History {
  readonly writes: ReadonlyArray<Write>;
  /** In stream order. */
  readonly entries: ReadonlyArray<Entry>;
  readonly finals: ReadonlyArray<Final>;
}
