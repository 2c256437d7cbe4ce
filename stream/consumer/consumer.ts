import { reasonOf } from '../../process/reason-of';
import type { StreamEvent } from '../../workflows/domain/node/events';
import type { RedisConnection } from '../redis-connection';
import type { Gap, ConsumerGroup } from './group';

/**
 * The effect of an event: what Redis stores, in one step with the node's last `sequenceId`, once the event was handled. In
 * names of keys, `<keep>` stands for `<stream>:<group>`.
 */
export interface Effect {
  /** Text that is appended to the list `<keep>:trail`. */
  readonly trail?: string;
  /**
   * For each name, the text that the node gets in the hash `<keep>:<name>`; null removes it. A name has no colon, and is none
   * of `aside`, `attempts`, `gap`, `last`, `trail`, `unreported`, `waiting`, which are keys of the group itself.
   */
  readonly texts?: Readonly<Record<string, string | null>>;
  /** For each name, the node's new score in the sorted set `<keep>:<name>`; null removes it. Names follow the same rules. */
  readonly scores?: Readonly<Record<string, number | null>>;
}

/** Reads the text that the group has stored for the event's node in the hash `<keep>:<name>`; undefined if there is none. */
export type KeptText = (name: string) => Promise<string | undefined>;

/**
 * Works out the effect of an event. It may run again for the same event, but its answer is stored once. A handler that writes
 * elsewhere returns nothing. It stores the event's `sequenceId` there for the node, in the same transaction, and skips an event
 * that is not newer: a repeat. `signal` aborts after `claimAfterMs`; the try has failed then, whatever the handler returns.
 * `appendedAt` (epoch ms, by Redis' clock) is when the event came into the stream.
 *
 * Errors: an event is set aside after three failures, or when nine processes died while they handled it; `NotNow` never counts.
 */
export type Handle = (
  event: StreamEvent,
  kept: KeptText,
  signal: AbortSignal,
  appendedAt: number,
) => Promise<Effect | undefined> | Effect | undefined;

/** A handler throws this error if something that the event needs is unavailable. The event is then tried again, for ever. */
export class NotNow extends Error {}

export const outcomes = ['handled', 'repeated', 'skipped', 'failed', 'postponed', 'aside', 'lost'] as const;

/** What became of an event, or of an entry that holds no event. */
export type EventOutcome = (typeof outcomes)[number];

export interface Consumer extends ConsumerGroup {
  readonly commands: RedisConnection;
  /** A connection for blocking reads only, because other commands on it would have to wait for the reads to end. */
  readonly reader: RedisConnection;
  readonly handle: Handle;
  readonly onHandled: (event: StreamEvent) => void;
  readonly onGap: (gap: Gap) => void;
  /** Reports the gaps in the stream that are not reported yet. Rejects if Redis does not answer. */
  readonly reportGaps: () => Promise<void>;
  readonly report: (line: string) => void;
  readonly count: (outcome: EventOutcome, events?: number) => void;
  readonly signal: AbortSignal;
}

/** Calls a callback of the user. If the callback fails, its error is reported, and the consumer goes on. */
export const runCallback = <Name extends 'onHandled' | 'onGap'>(
  consumer: Pick<Consumer, 'onHandled' | 'onGap' | 'report'>,
  name: Name,
  what: Parameters<Consumer[Name]>[0],
): void => {
  new Promise((resolve) => {
    const callback: (value: never) => unknown = consumer[name];
    resolve(callback(what as never));
  }).catch((error: unknown) => consumer.report(`${name} failed: ${reasonOf(error)}`));
};
