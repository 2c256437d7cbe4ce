import type { Measurement } from '../measurement/measurement';
import type { Parts } from '../parts';
import type { OverallReading } from '../rating/overall-regions';
import type { Origin, Threshold } from '../threshold/threshold';
import type { ResolvedBearing } from '../vibration/bearings/resolved-bearing';
import type { Remembered } from './state';

/** What was committed to a node. `ThresholdSet` and `StatusUpdated` are published, the others are the node's own. */
export type DomainEvent =
  | {
      readonly _tag: 'ThresholdSet';
      readonly threshold: Threshold;
      readonly reading: OverallReading;
      readonly bearings: ReadonlyArray<ResolvedBearing>;
      readonly origin?: Origin;
      readonly userId: string;
      readonly updatedAt: number;
    }
  | { readonly _tag: 'MeasurementRecorded'; readonly measurement: Measurement; readonly digest: string }
  | {
      readonly _tag: 'StatusUpdated';
      readonly parts: Parts;
      readonly alarmsChanged: boolean;
      readonly userId: string;
      readonly updatedAt: number;
    }
  | { readonly _tag: 'RequestRemembered'; readonly request: Remembered };
