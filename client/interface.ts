import type { Either } from 'fp-ts/Either';
import type { ProblemType, ProblemView } from '../api/contract/problems/catalogue';
import type { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import type { TypeOf } from '../workflows/domain/codecs';
import type { MeasurementInput as Measurement } from '../workflows/domain/measurement/measurement';
import type { WireSpectrum } from '../workflows/domain/measurement/spectrum';
import type { ThresholdAsWritten as ThresholdOfPut, ThresholdView } from '../workflows/domain/threshold/threshold';
import type { PatchOperation } from '../workflows/domain/threshold/patch';

export type Threshold = TypeOf<typeof ThresholdView>;

/** A threshold to set. A threshold that the client has read can be set again. */
export type ThresholdInput = ThresholdOfPut | Threshold;

export type AlarmStatus = TypeOf<typeof AlarmStatusView>;

/** A measurement to send. The lines of a spectrum are `coordinates`, in rising order of x. */
export type MeasurementInput =
  | Exclude<Measurement, { readonly contentType: 'SPECTRUM' }>
  | (Omit<Extract<Measurement, { readonly contentType: 'SPECTRUM' }>, 'spectrum'> & {
      readonly spectrum: WireSpectrum;
    });

export type ExternalAlarm = NonNullable<AlarmStatus['externalAlarm']>;

export type { PatchOperation };

/** A document that the caller has not validated, such as the content of a file. The service validates it. */
export interface Unjudged {
  readonly [unjudgedBrand]: true;
}

declare const unjudgedBrand: unique symbol;

/** Marks `document`, which may be any JSON value, as a document that the client sends without knowing its type. */
export const unjudged = (document: unknown): Unjudged => document as Unjudged;

/** The settings of a client. By default a call has up to 4 tries of 15 s each, and 30 s in total. */
export interface ClientSettings {
  /** The address of the API, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /**
   * The bearer token, or a function that each try calls to get one; the try's time limit includes this call. Undefined: no
   * token is sent.
   */
  readonly token: string | (() => string | Promise<string>) | undefined;
  readonly fetch?: typeof globalThis.fetch;
  /** Most tries of a call, the first one included. */
  readonly tries?: number;
  /** Time limit (ms) of one try. */
  readonly tryMs?: number;
  /** Time (ms) from the beginning of a call in which retries may begin. */
  readonly retryForMs?: number;
  /** Time limit (ms) of a call: of all its tries and the pauses between them. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the failure of a try, and the ms until the next try begins. Errors that the function throws are ignored. */
  readonly onRetry?: ((failure: TryFailure, ms: number) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** The key by which the service recognises a repeated write. By default each call gets a new key, which all its tries use. */
  readonly idempotencyKey?: string | undefined;
}

export interface ThresholdWriteOptions extends WriteOptions {
  /** The ETag that the threshold must have. `*`: the threshold must have been set before. Otherwise the call fails with 412. */
  readonly ifMatch?: string | undefined;
  /** ETags that the threshold must not have. `*`: it must never have been set before. Otherwise the call fails with 412. */
  readonly ifNoneMatch?: string | undefined;
}

/** The body of a problem, the service's answer to a failed call (RFC 9457). */
export type ProblemBody = TypeOf<typeof ProblemView>;

/**
 * Why a try of a call failed.
 *
 * Problem:       the service refused the call, or failed. `type` is `other` if this client does not know the problem's type.
 * NotSent:       this try was not sent, because the node id, body, a header or the address cannot be sent, or because there was
 *                no token.
 * NoAnswer:      no answer came in time, or the connection broke.
 * StrangeAnswer: the answer is not the service's own. It may come from a proxy, or from another server.
 * Aborted:       the signal of the call or of the client aborted.
 */
export type TryFailure =
  | {
      readonly _tag: 'Problem';
      readonly type: ProblemType | 'other';
      readonly body: ProblemBody;
      /** The seconds in the header `Retry-After`. */
      readonly retryAfter?: number;
    }
  | { readonly _tag: 'NotSent'; readonly reason: string }
  | { readonly _tag: 'NoAnswer'; readonly reason: string }
  | { readonly _tag: 'StrangeAnswer'; readonly status: number; readonly reason: string; readonly retryAfter?: number }
  | { readonly _tag: 'Aborted' };

/** The failure of a call's last try. `mayHaveChanged`: whether any try may have changed the node, or may still change it. */
export type Failure = TryFailure & { readonly mayHaveChanged: boolean };

/** The result of a call: its value on the right, or its failure on the left. */
export type Result<A> = Promise<Either<Failure, A>>;

/** The ETag of a threshold. It is absent if a proxy removed it from the answer. */
export interface Tagged {
  readonly etag?: string;
}

export interface TaggedThreshold extends Tagged {
  readonly threshold: Threshold;
}

/** One method for each of the API's seven endpoints, and `getChangedThreshold`, a second way to read a threshold. */
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
  /** Reads the threshold. The result is undefined if the threshold's ETag is still `etag`. */
  readonly getChangedThreshold: (
    nodeId: string,
    etag: string,
    options?: CallOptions,
  ) => Result<TaggedThreshold | undefined>;
  /** Reads the thresholds of several nodes, in the order of `nodeIds`. */
  readonly getThresholds: (nodeIds: ReadonlyArray<string>, options?: CallOptions) => Result<ReadonlyArray<Threshold>>;
  readonly getAlarmStatus: (nodeId: string, options?: CallOptions) => Result<AlarmStatus>;
  /** Calculates the alarm status from `measurement`; if undefined, from the newest measurements that the node keeps. */
  readonly updateAlarmStatus: (
    nodeId: string,
    measurement?: MeasurementInput | Unjudged,
    options?: WriteOptions,
  ) => Result<void>;
  readonly setExternalAlarm: (nodeId: string, alarm: ExternalAlarm | Unjudged, options?: WriteOptions) => Result<void>;
}
