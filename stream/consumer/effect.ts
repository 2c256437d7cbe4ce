import type { StreamEvent } from '../../workflows/domain/node/events';

/**
 * What an event comes to in Redis. All of it is kept together with the place of the event's node, or nothing.
 *
 * `<keep>` is the name of the stream and that of the group: `point-alarm-events:trail`.
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

/** Where the names of what a group keeps of a stream begin; a hash tag of the stream is theirs as well. */
export const keepOf = (stream: string, group: string): string => `${stream}:${group}`;

/** Whether a name can be the last part of a key: with a colon the key could be that of another group, or of another stream. */
export const isKeyPart = (name: string): boolean => name !== '' && !name.includes(':');

const OWN = ['attempts', 'aside', 'last', 'trail'];

/** Whether an effect may keep texts under that name. */
export const isHashName = (name: string): boolean => isKeyPart(name) && !OWN.includes(name);
