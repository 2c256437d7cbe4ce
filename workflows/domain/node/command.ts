import type { Cause } from './cause';
import type { MeasurementInput } from '../measurement/measurement';
import type { OverallReading } from '../rating/overall-regions';
import type { PatchOperation } from '../patch/operations';
import type { Status } from '../status';
import type { ThresholdInput } from '../threshold/threshold';
import type { ResolvedBearing } from '../vibration/bearings/resolved-bearing';

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
  /** The text by which a repeat is known. */
  readonly requestId?: string;
  /** The caller chose `requestId` himself: it is remembered even where nothing was to be done. */
  readonly keyed?: boolean;
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
  /** Bearings of the operator that the threshold names; absent: what was found before, and the built-in ones. */
  readonly bearings?: ReadonlyArray<ResolvedBearing>;
}

export type Command = About &
  (
    | (Setting & { readonly _tag: 'setThreshold'; readonly threshold: ThresholdInput })
    | (Setting & { readonly _tag: 'patchThreshold'; readonly operations: ReadonlyArray<PatchOperation> })
    | { readonly _tag: 'recordMeasurement'; readonly measurement: MeasurementInput; readonly measurementDigest: string }
    | { readonly _tag: 'recalculate' }
    | { readonly _tag: 'setExternalAlarm'; readonly status: Status; readonly setBy?: string }
  );
