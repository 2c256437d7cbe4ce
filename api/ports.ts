import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { withTimeout } from '../process/timeout';
import type { CommandOutcome } from '../workflows/domain/node/apply-group';
import type { Command, Refusal } from '../workflows/domain/node/commands';
import type { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import type { RevisedThreshold } from '../workflows/domain/node/state';

/** Why the service cannot carry out a call. `mayHaveChanged`: the call may have changed the node all the same. */
export type Outage =
  | {
      readonly _tag: 'Unavailable';
      readonly dependency: string;
      readonly retryAfter: number;
      readonly mayHaveChanged: boolean;
    }
  | { readonly _tag: 'TimedOut' }
  | { readonly _tag: 'QueueFull'; readonly retryAfter: number }
  /** The call was not sent, as it would have waited too long. `isOwnShare`: only because too many calls of this user wait. */
  | { readonly _tag: 'Overloaded'; readonly retryAfter: number; readonly isOwnShare: boolean };

/** The result of `task`, or TimedOut after `ms`. The task itself is not cancelled. */
export const beforeDeadline =
  <F, A>(ms: number, task: TE.TaskEither<F | Outage, A>): TE.TaskEither<F | Outage, A> =>
  () =>
    withTimeout<E.Either<F | Outage, A>>(ms, task(), () => E.left({ _tag: 'TimedOut' }));

/** The outage of a dependency that does not answer. By default the call is known to have changed nothing. */
export const noAnswerOf = (dependency: string, retryAfter = 1, mayHaveChanged = false): Outage => ({
  _tag: 'Unavailable',
  dependency,
  retryAfter,
  mayHaveChanged,
});

/** The outcome of a command that was not refused. `Unchanged`: there was nothing to do, or the command was a repeat. */
export type Sent = Exclude<CommandOutcome, { readonly _tag: 'Refused' }>;

/** The nodes as the API uses them. One adapter calls Temporal; another, for tests, runs the same decisions in memory. */
export interface PointAlarms {
  readonly send: (nodeId: string, command: Command, by?: Caller) => TE.TaskEither<Refusal | Outage, Sent>;
  /** Why a command to the node would be refused at once; undefined if it would be accepted. Asked before the body is read. */
  readonly refusal?: (nodeId: string, by: Caller) => Outage | undefined;
  /** The refusal of a surplus call: its user sends more than this process can begin, so not even its token is checked. */
  readonly tooMany?: () => Outage;
  readonly threshold: Read<RevisedThreshold>;
  readonly alarmStatus: Read<AlarmStatusView>;
}

export type Read<A> = (nodeId: string, how?: ReadHow) => TE.TaskEither<Outage, ReadResult<A>>;

/** The caller on whose behalf a node is called. */
export interface Caller {
  readonly userId: string;
  /** Aborts when the caller no longer waits for the answer. */
  readonly disconnected?: AbortSignal;
  /** The deadline of the call, as a time of `performance.now()`. */
  readonly until?: number;
}

export interface ReadHow {
  readonly by?: Caller | undefined;
  /** Whether to read the node itself, even if a value is cached. */
  readonly isFresh?: boolean;
}

export interface ReadResult<A> {
  readonly value: A;
  /** How old (s) a value from the cache is at most. Absent for a value that was read from the node itself. */
  readonly age?: number;
}

/** The actions that permissions name, from the table of the specification. */
export const actions = [
  'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD',
  'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
  'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH',
  'POINT_ALARM_STATUS::GET_ALARM_STATUS',
  'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS',
  'POINT_ALARM_STATUS::SET_EXTERNAL_ALARM_STATUS',
] as const;
export type Action = (typeof actions)[number];

/** An action on a node. For the resource `*` any grant of the action is enough, whatever the grant's node. */
export interface Permission {
  readonly action: Action;
  readonly resource: string;
}

/** Returns the permissions of `wanted` that the user lacks; none: the call is allowed. A missing decision is an `Outage`. */
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

/** The kind of the node with this id in the hierarchy. Without a hierarchy every UUID is a measurement point. */
export interface Hierarchy {
  readonly kindOf: (nodeId: string) => 'measurement_point' | 'other' | 'unknown';
}
