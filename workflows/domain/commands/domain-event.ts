import type { Measurement } from '../measurement/measurement';
import type { Parts } from '../alarm/parts';
import type { OverallReading } from '../rating/overall-regions';
import type { Origin, Threshold } from '../threshold/threshold';
import type { ResolvedBearing } from '../rating/vibration/bearings/resolved-bearing';
import type { KeyedWrite, KnownGroup } from '../node/idempotency';

/** The user and the call that caused an event, and its time. */
export interface Attribution {
  readonly userId: string;
  /** The request id of the call, where there was one. */
  readonly requestId?: string;
  /** Epoch ms; it never goes back within a node. */
  readonly updatedAt: number;
}

export interface MeasurementRecorded {
  readonly _tag: 'MeasurementRecorded';
  readonly measurement: Measurement;
  readonly digest: string;
  /** Epoch ms; it never goes back within a node. */
  readonly arrivedAt: number;
}

/**
 * What was committed to a node. `ThresholdSet` and `StatusUpdated` are published, `Republished` publishes both again; the
 * others are the node's own: `RatedAnew` records that the newest measurements rated all parts again.
 */
export type DomainEvent =
  | (Attribution & {
      readonly _tag: 'ThresholdSet';
      readonly threshold: Threshold;
      readonly reading: OverallReading;
      readonly bearings: ReadonlyArray<ResolvedBearing>;
      readonly origin?: Origin;
    })
  | MeasurementRecorded
  | (Attribution & { readonly _tag: 'StatusUpdated'; readonly parts: Parts; readonly alarmsChanged: boolean })
  | { readonly _tag: 'RatedAnew' }
  | (Attribution & { readonly _tag: 'Republished' })
  | { readonly _tag: 'WriteKeyed'; readonly write: Omit<KeyedWrite, 'revision'> }
  | { readonly _tag: 'GroupTaken'; readonly group: KnownGroup };
