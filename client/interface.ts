import type { Either } from 'fp-ts/Either';
import type { ProblemType, ProblemView } from '../api/http/problems/catalogue';
import type { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import type { TypeOf } from '../workflows/domain/codecs';
import type { MeasurementInput as Measurement } from '../workflows/domain/measurement/measurement';
import type { WireSpectrum } from '../workflows/domain/measurement/spectrum';
import type { ThresholdAsWritten as ThresholdOfPut, ThresholdView } from '../workflows/domain/threshold/threshold';
import type { PatchOperation } from '../workflows/domain/threshold/patch';

export type Threshold = TypeOf<typeof ThresholdView>;

/** A threshold to set; one that was read is valid. */
export type ThresholdInput = ThresholdOfPut | Threshold;

export type AlarmStatus = TypeOf<typeof AlarmStatusView>;

/** A measurement; the lines of a spectrum are coordinates whose x rises. */
export type MeasurementInput =
  | Exclude<Measurement, { readonly contentType: 'SPECTRUM' }>
  | (Omit<Extract<Measurement, { readonly contentType: 'SPECTRUM' }>, 'spectrum'> & {
      readonly spectrum: WireSpectrum;
    });

export type ExternalAlarm = NonNullable<AlarmStatus['externalAlarm']>;

export type { PatchOperation };

/** An unvalidated document, such as a file's: the service validates it. */
export interface Unjudged {
  readonly [unjudgedBrand]: true;
}

declare const unjudgedBrand: unique symbol;

/** Lets `document`, JSON of whatever shape, be sent as it is. */
export const unjudged = (document: unknown): Unjudged => document as Unjudged;

/** The settings of a client; by default 4 tries of 15 s, all within 30 s. */
export interface ClientSettings {
  /** The address of the API, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A token, or a function that gets one for every try, within the try's time; undefined sends none. */
  readonly token: string | (() => string | Promise<string>) | undefined;
  readonly fetch?: typeof globalThis.fetch;
  /** Number of tries, the first included. */
  readonly tries?: number;
  /** Time limit (ms) of one try. */
  readonly tryMs?: number;
  /** Time (ms) in which retries may begin. */
  readonly retryForMs?: number;
  /** Time limit (ms) of all tries and the pauses between them. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each retry with the failure of the try, and the ms until it. What it throws is ignored. */
  readonly onRetry?: ((failure: TryFailure, ms: number) => void) | undefined;
}

export interface CallOptions {
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

/** The body of a problem, by RFC 9457. */
export type ProblemBody = TypeOf<typeof ProblemView>;

/**
 * Why a try of a call did not succeed.
 *
 * Problem:       the service refused the call. `type` is the name of its type, `other` for an unknown one.
 * NotSent:       the call, or its next try, could not be made: a node id, a body, a header or an address that cannot be sent,
 *                or no token.
 * NoAnswer:      no answer in time, or the connection broke.
 * StrangeAnswer: an answer that is not the service's: of a proxy, or of another server.
 * Aborted:       by the signal of the call or the client.
 */
export type TryFailure =
  | {
      readonly _tag: 'Problem';
      readonly type: ProblemType | 'other';
      readonly body: ProblemBody;
      /** The seconds of `Retry-After`. */
      readonly retryAfter?: number;
    }
  | { readonly _tag: 'NotSent'; readonly reason: string }
  | { readonly _tag: 'NoAnswer'; readonly reason: string }
  | { readonly _tag: 'StrangeAnswer'; readonly status: number; readonly reason: string; readonly retryAfter?: number }
  | { readonly _tag: 'Aborted' };

/** The failure of the last try. `mayHaveChanged`: a try may have changed the node, or still may. */
export type Failure = TryFailure & { readonly mayHaveChanged: boolean };

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
