import type { Cause } from './cause';
import type { MeasurementInput } from '../measurement/measurement';
import type { OverallReading } from '../rating/overall-regions';
import type { PatchOperation } from '../threshold/patch/operations';
import type { Status } from '../alarm/status';
import type { ThresholdInput } from '../threshold/threshold';
import type { SoughtBearing } from '../rating/vibration/bearings/resolved-bearing';

export const commandNames = [
  'setThreshold',
  'patchThreshold',
  'recordMeasurement',
  'recalculate',
  'setExternalAlarm',
] as const;
export type CommandName = (typeof commandNames)[number];

/** What every command carries. */
interface About {
  readonly userId: string;
  /** The idempotency key: a text by which a repeat is known. */
  readonly requestId?: string;
  readonly cause?: Cause;
  /** A digest of what is asked for, and of who asks. */
  readonly digest: string;
  /** Epoch ms. */
  readonly now: number;
}

/** What a command that sets a threshold carries besides. */
interface Setting {
  /** The revisions one of which the threshold must be at. */
  readonly ifMatch?: ReadonlyArray<number>;
  /** The reading of overall regions that is in force; absent: the node keeps the one that it has. */
  readonly reading?: OverallReading;
  /**
   * The bearings that the threshold names, as far as they were looked for; absent: what was found before, and the built-in
   * ones. A patch that comes to a threshold that names others is refused: BearingsNeeded.
   */
  readonly bearings?: ReadonlyArray<SoughtBearing>;
}

export type Command = About &
  (
    | (Setting & { readonly _tag: 'setThreshold'; readonly threshold: ThresholdInput })
    | (Setting & { readonly _tag: 'patchThreshold'; readonly operations: ReadonlyArray<PatchOperation> })
    | { readonly _tag: 'recordMeasurement'; readonly measurement: MeasurementInput; readonly measurementDigest: string }
    | { readonly _tag: 'recalculate' }
    | { readonly _tag: 'setExternalAlarm'; readonly status: Status; readonly setBy?: string }
  );
