import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { within } from '../process/within';
import type { Outcome } from '../workflows/domain/node/apply-group';
import type { Command, Refusal } from '../workflows/domain/node/commands';
import type { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import type { RevisedThreshold } from '../workflows/domain/node/state';

/** A dependency of the service cannot take a call. `mayHaveChanged`: as in the problem's member of that name. */
export type Outage =
  | {
      readonly _tag: 'Unavailable';
      readonly dependency: string;
      readonly retryAfter: number;
      readonly mayHaveChanged: boolean;
    }
  | { readonly _tag: 'TimedOut' }
  | { readonly _tag: 'QueueFull'; readonly retryAfter: number }
  /** It could not be served in time, and was not sent. `isOwnShare`: others' calls could, this user has too many waiting. */
  | { readonly _tag: 'Overloaded'; readonly retryAfter: number; readonly isOwnShare: boolean };

/** The result of `task`, or TimedOut after `ms`; the task itself goes on. */
export const beforeDeadline =
  <F, A>(ms: number, task: TE.TaskEither<F | Outage, A>): TE.TaskEither<F | Outage, A> =>
  () =>
    within<E.Either<F | Outage, A>>(ms, task(), () => E.left({ _tag: 'TimedOut' }));

/** A dependency that does not answer; by default the call was not carried out. */
export const noAnswerOf = (dependency: string, retryAfter = 1, mayHaveChanged = false): Outage => ({
  _tag: 'Unavailable',
  dependency,
  retryAfter,
  mayHaveChanged,
});

/** The outcome of a command that was not refused. `Unchanged`: there was nothing to do. */
export type Sent = Exclude<Outcome, { readonly _tag: 'Refused' }>;

/** The nodes, as a port of the API. Adapters: Temporal, and memory (the same decider, for tests). */
export interface PointAlarms {
  readonly send: (nodeId: string, command: Command, by?: Behalf) => TE.TaskEither<Refusal | Outage, Sent>;
  /** Why a command to the node would be refused at once; asked before its body is read. */
  readonly refusal?: (nodeId: string, by: Behalf) => Outage | undefined;
  /** The refusal of a call of whoever sends more than can be looked at. */
  readonly tooMany?: () => Outage;
  readonly threshold: Read<RevisedThreshold>;
  readonly alarmStatus: Read<AlarmStatusView>;
}

export type Read<A> = (nodeId: string, how?: ReadHow) => TE.TaskEither<Outage, ReadResult<A>>;

/** On whose behalf a node is asked. */
export interface Behalf {
  readonly userId: string;
  /** Aborts when the caller no longer waits for the answer. */
  readonly gone?: AbortSignal;
  /** The deadline of the call, by `performance.now()`. */
  readonly until?: number;
}

export interface ReadHow {
  readonly by?: Behalf | undefined;
  /** From the node itself, whatever is cached. */
  readonly isFresh?: boolean;
}

export interface ReadResult<A> {
  readonly value: A;
  /** Upper bound (s) of a cached value's delay. */
  readonly age?: number;
}

/** The actions of the specification's table. */
export const actions = [
  'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD',
  'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
  'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH',
  'POINT_ALARM_STATUS::GET_ALARM_STATUS',
  'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS',
  'POINT_ALARM_STATUS::SET_EXTERNAL_ALARM_STATUS',
] as const;
export type Action = (typeof actions)[number];

/** An action on a node, or on `*`: held by any grant of the action. */
export interface Permission {
  readonly action: Action;
  readonly resource: string;
}

/** Every permission of `wanted` that the user lacks; none means yes. No answer is an `Outage`, never a yes. */
export interface Authorizer {
  readonly violations: (
    userId: string,
    wanted: ReadonlyArray<Permission>,
  ) => TE.TaskEither<Outage, ReadonlyArray<Permission>>;
}

/** The authenticated user of an `Authorization` header, or why there is none. */
export interface Authenticator {
  readonly userOf: (authorization: string | undefined) => TE.TaskEither<AuthenticationFailure | Outage, string>;
}

export type AuthenticationFailure =
  { readonly _tag: 'NoToken' } | { readonly _tag: 'BadToken'; readonly reason: string };

/** The kind of an id in the hierarchy. Without a hierarchy every UUID is a measurement point. */
export interface Hierarchy {
  readonly kindOf: (nodeId: string) => 'measurement_point' | 'other' | 'unknown';
}
