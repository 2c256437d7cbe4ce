import { hasParts, type Parts } from '../alarm/parts';
import type { ContentType } from '../measurement/measurement';
import type { OverallReading } from '../rating/overall-regions';
import type { Latest } from '../rating/rate';
import type { KeyedWrite, KnownGroup } from './idempotency';
import { noThreshold, type Threshold } from '../threshold/threshold';
import type { ResolvedBearing } from '../rating/vibration/bearings/resolved-bearing';

/** The shape of a carried state; a release that changes it counts on and still decodes the one before. */
export const SCHEMA_VERSION = 1;

/** A measurement by which a repeat is known: its id and a digest of its content. */
export interface Applied {
  readonly measurementId: string;
  readonly digest: string;
}

/** By what measurements rate: the parts of each content type, and rate of change. */
export type RatedBy = Readonly<Partial<Record<ContentType | 'rateOfChange', Applied>>>;

/** Everything that a node knows; plain JSON, what is absent is absent. */
export interface State {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly nodeId: string;
  readonly threshold: Threshold;
  /** How often a threshold was set; the ETag of GET. */
  readonly revision: number;
  readonly reading: OverallReading;
  /** The orders of the bearings that the threshold names, found when it was set; not shown. */
  readonly bearings: ReadonlyArray<ResolvedBearing>;
  /** Who set the threshold, and when (epoch ms). */
  readonly setBy?: string;
  readonly setAt?: number;
  readonly latest: Latest;
  /** Which measurements `latest` holds. */
  readonly newest: RatedBy;
  /** Which measurements rated the parts last: the newest, unless an older one came after it. */
  readonly applied: RatedBy;
  readonly parts: Parts;
  /** Epoch ms; 0 for a node that was never touched. */
  readonly updatedAt: number;
  /** The last id given to an event; empty before the first. */
  readonly sequenceId: string;
  /** The writes under idempotency keys that a repeat is known by, oldest first. */
  readonly writes: ReadonlyArray<KeyedWrite>;
  /** The last group of each API process, the one heard of longest ago first. */
  readonly groups: ReadonlyArray<KnownGroup>;
}

/** A node that was never touched. */
export const untouched = (nodeId: string): State => ({
  schemaVersion: SCHEMA_VERSION,
  nodeId,
  threshold: noThreshold,
  revision: 0,
  reading: 'literal',
  bearings: [],
  latest: {},
  newest: {},
  applied: {},
  parts: {},
  updatedAt: 0,
  sequenceId: '',
  writes: [],
  groups: [],
});

/** Whether a change from `before` to `after` is a status update: a node that holds no part has no status to tell. */
export const isStatusUpdate = (before: Parts, after: Parts): boolean => hasParts(before) || hasParts(after);
