import type { Either } from 'fp-ts/Either';
import type { Fetch } from './exchange';
import type { Failure, Reason } from './failure';
import type {
  AlarmStatus,
  ExternalAlarm,
  MeasurementInput,
  PatchOperation,
  Threshold,
  ThresholdInput,
  Unjudged,
} from './values';
import type { Patience } from './with-retries';

/** What a client is made with; its patience is 4 tries of 15 s, all within 30 s, unless told otherwise. */
export interface ClientSettings extends Partial<Patience> {
  /** Where the API is, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A token, or what gets one for every try; undefined sends none. What it throws is thrown. */
  readonly token: string | (() => string | Promise<string>) | undefined;
  readonly fetch?: Fetch;
  /** Ends every call. */
  readonly signal?: AbortSignal | undefined;
  /** Told why a call will be tried again. */
  readonly onRetry?: ((reason: Reason) => void) | undefined;
}

export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** By what a repeat is known; without one every call gets its own, which its tries share. */
  readonly idempotencyKey?: string | undefined;
}

export interface ThresholdWriteOptions extends WriteOptions {
  /** The tag of the threshold that is to be changed; where another is in its place, nothing is (412). */
  readonly ifMatch?: string | undefined;
}

/** What came of a call: its value on the right, or why there is none on the left. */
export type Result<A> = Promise<Either<Failure, A>>;

/** The tag of a threshold's revision, unless something on the way took it off. */
export interface Tagged {
  readonly etag?: string;
}

export interface TaggedThreshold extends Tagged {
  readonly threshold: Threshold;
}

/** The seven endpoints. */
export interface PointAlarmClient {
  readonly setThreshold: (
    nodeId: string,
    threshold: ThresholdInput | Unjudged,
    options?: ThresholdWriteOptions,
  ) => Result<Tagged>;
  readonly patchThreshold: (
    nodeId: string,
    operations: ReadonlyArray<PatchOperation> | Unjudged,
    options?: ThresholdWriteOptions,
  ) => Result<TaggedThreshold>;
  readonly getThreshold: (nodeId: string, options?: CallOptions) => Result<TaggedThreshold>;
  /** In the order of `nodeIds`. */
  readonly getThresholds: (nodeIds: ReadonlyArray<string>, options?: CallOptions) => Result<ReadonlyArray<Threshold>>;
  readonly getAlarmStatus: (nodeId: string, options?: CallOptions) => Result<AlarmStatus>;
  /** By `measurement`; where that is undefined, by the newest ones that the node knows. */
  readonly updateAlarmStatus: (
    nodeId: string,
    measurement?: MeasurementInput | Unjudged,
    options?: WriteOptions,
  ) => Result<void>;
  readonly setExternalAlarm: (nodeId: string, alarm: ExternalAlarm | Unjudged, options?: WriteOptions) => Result<void>;
}
