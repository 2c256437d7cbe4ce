import type { StreamEvent } from '../workflows/domain/events/event';

/**
 * What an event comes to in Redis. All of it is kept together with the place of the event's node, or nothing.
 *
 * `<keep>` is the name of the stream, or of the partition, and that of the group: `point-alarm-events:trail`.
 */
export interface Effect {
  /** Text that is added to the list `<keep>:trail`. */
  readonly trail?: string;
  /**
   * By the name of a hash `<keep>:<name>`, the text that it holds of the node from now on; null removes it. A name has no colon,
   * and is none of `attempts`, `aside`, `last`, `trail`.
   */
  readonly texts?: Readonly<Record<string, string | null>>;
}

/** What the group keeps of the node of an event: its text in the hash `<keep>:<name>`. */
export type KeptText = (name: string) => Promise<string | undefined>;

/**
 * Works out what an event comes to. It may run again for the same event, but what it answers is kept once.
 *
 * Where the effect goes elsewhere, answer nothing, and keep the node's `sequenceId` there in the same transaction: the effect
 * of an event that is not newer is a repeat.
 *
 * Errors: an event that fails three times is set aside, and one in whose handling nine processes died. `NotNow` is not counted: the event is tried again until it works.
 */
export type Handle = (event: StreamEvent, kept: KeptText) => Promise<Effect | undefined> | Effect | undefined;

/** The event is not at fault: what it needs is unavailable. */
export class NotNow extends Error {}
