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

/** The settings of a client; by default 4 tries of 15 s, all within 30 s. */
export interface ClientSettings extends Partial<Patience> {
  /** The address of the API, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A token, or a function that gets one for every try, within the try's time; undefined sends none. */
  readonly token: string | (() => string | Promise<string>) | undefined;
  readonly fetch?: Fetch;
  /** Aborts every call. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the reason before each retry. What it throws is ignored. */
  readonly onRetry?: ((reason: Reason) => void) | undefined;
}

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Identifies a repeat. By default every call gets a new key, which its tries share. */
  readonly idempotencyKey?: string | undefined;
}

export interface ThresholdWriteOptions extends WriteOptions {
  /** The ETag of the threshold to change; `*`: one was ever set. The call fails with 412 where it is another. */
  readonly ifMatch?: string | undefined;
  /** ETags that the threshold must not have; `*`: none was ever set. The call fails with 412 where it has one of them. */
  readonly ifNoneMatch?: string | undefined;
}

/** The result of a call: its value on the right, or its failure on the left. */
export type Result<A> = Promise<Either<Failure, A>>;

/** The ETag of a threshold's revision; absent where a proxy removed it. */
export interface Tagged {
  readonly etag?: string;
}

export interface TaggedThreshold extends Tagged {
  readonly threshold: Threshold;
}

/** The seven endpoints, one of them read in two ways. */
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
  /** The threshold; undefined where it still has `etag`. */
  readonly getChangedThreshold: (
    nodeId: string,
    etag: string,
    options?: CallOptions,
  ) => Result<TaggedThreshold | undefined>;
  /** In the order of `nodeIds`. */
  readonly getThresholds: (nodeIds: ReadonlyArray<string>, options?: CallOptions) => Result<ReadonlyArray<Threshold>>;
  readonly getAlarmStatus: (nodeId: string, options?: CallOptions) => Result<AlarmStatus>;
  /** By `measurement`; where that is undefined, by the newest measurements of the node. */
  readonly updateAlarmStatus: (
    nodeId: string,
    measurement?: MeasurementInput | Unjudged,
    options?: WriteOptions,
  ) => Result<void>;
  readonly setExternalAlarm: (nodeId: string, alarm: ExternalAlarm | Unjudged, options?: WriteOptions) => Result<void>;
}
