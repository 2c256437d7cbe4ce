import { reasonOf } from '../../process/reason-of';
import type { StreamEvent } from '../../workflows/domain/node/events';
import type { RedisLink } from '../link';
import type { Gap, Group } from './group';

/**
 * What an event comes to in Redis. All of it is kept together with the place of the event's node, or nothing. `<keep>` is the name
 * of the stream and that of the group: `point-alarm-events:trail`.
 */
export interface Effect {
  /** Text that is added to the list `<keep>:trail`. */
  readonly trail?: string;
  /**
   * By the name of a hash `<keep>:<name>`, the text that it holds of the node from now on; null removes it. A name has no colon,
   * and is none of `aside`, `attempts`, `gap`, `last`, `trail`, `unreported`, `waiting`.
   */
  readonly texts?: Readonly<Record<string, string | null>>;
}

/** What the group keeps of the node of an event: its text in the hash `<keep>:<name>`. */
export type KeptText = (name: string) => Promise<string | undefined>;

/**
 * Works out what an event comes to. It may run again for the same event, but what it answers is kept once. Where the effect goes
 * elsewhere, answer nothing, and keep the node's `sequenceId` there in the same transaction: one that is not newer is a repeat.
 * `signal` aborts after `claimAfterMs`: this try has failed, whatever it answers.
 *
 * Errors: an event that fails three times is set aside, and one in whose handling nine processes died; not one of `NotNow`.
 */
export type Handle = (
  event: StreamEvent,
  kept: KeptText,
  signal: AbortSignal,
) => Promise<Effect | undefined> | Effect | undefined;

/** The event is not at fault: what it needs is unavailable. */
export class NotNow extends Error {}

export const outcomes = ['handled', 'repeated', 'skipped', 'failed', 'postponed', 'aside', 'lost'] as const;

/** What became of an event, or of an entry that is none. */
export type Outcome = (typeof outcomes)[number];

export interface Consumer extends Group {
  readonly commands: RedisLink;
  /** A connection of its own: a blocking read blocks all else on it. */
  readonly reader: RedisLink;
  readonly handle: Handle;
  readonly onHandled: (event: StreamEvent) => void;
  readonly onGap: (gap: Gap) => void;
  /** Has gaps told that nobody was told of. Rejects where Redis does not answer. */
  readonly reportGaps: () => Promise<void>;
  readonly report: (line: string) => void;
  readonly count: (outcome: Outcome, events?: number) => void;
  readonly signal: AbortSignal;
}

/** Whatever the caller does with it, it never ends the consumer. */
export const tell = <Name extends 'onHandled' | 'onGap'>(
  consumer: Pick<Consumer, 'onHandled' | 'onGap' | 'report'>,
  name: Name,
  what: Parameters<Consumer[Name]>[0],
): void => {
  new Promise((resolve) => {
    const callback: (told: never) => unknown = consumer[name];
    resolve(callback(what as never));
  }).catch((error: unknown) => consumer.report(`${name} failed: ${reasonOf(error)}`));
};
