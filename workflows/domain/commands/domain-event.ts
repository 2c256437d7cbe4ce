import type { Measurement } from '../measurement/measurement';
import type { Parts } from '../alarm/parts';
import type { OverallReading } from '../rating/overall-regions';
import type { Origin, Threshold } from '../threshold/threshold';
import type { ResolvedBearing } from '../rating/vibration/bearings/resolved-bearing';
import type { KeyedWrite, KnownGroup } from '../node/idempotency';

/** Who caused an event, by which call, and when. */
export interface Origination {
  readonly userId: string;
  /** The name of the call, where the command told it. */
  readonly requestId?: string;
  /** Epoch ms; it never goes back within a node. */
  readonly updatedAt: number;
}

/**
 * What was committed to a node. `ThresholdSet` and `StatusUpdated` are published, the others are the node's own: `RatedAnew`
 * says that the newest measurements rated all parts again.
 */
export type DomainEvent =
  | (Origination & {
      readonly _tag: 'ThresholdSet';
      readonly threshold: Threshold;
      readonly reading: OverallReading;
      readonly bearings: ReadonlyArray<ResolvedBearing>;
      readonly origin?: Origin;
    })
  | { readonly _tag: 'MeasurementRecorded'; readonly measurement: Measurement; readonly digest: string }
  | (Origination & { readonly _tag: 'StatusUpdated'; readonly parts: Parts; readonly alarmsChanged: boolean })
  | { readonly _tag: 'RatedAnew' }
  | { readonly _tag: 'WriteKeyed'; readonly write: Omit<KeyedWrite, 'revision'> }
  | { readonly _tag: 'GroupTaken'; readonly group: KnownGroup };
