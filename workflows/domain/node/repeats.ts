import * as t from 'io-ts';
import * as c from '../codecs';
import { GROUP_COMMANDS, KEY_KNOWN_MS, KEYS_KNOWN, KNOWN_SENDERS, MOST_KEYS, SENDER_LENGTH } from '../limits';

export interface KeyedWrite {
  /** The digest of the idempotency key: whole keys would make the node's state too large. */
  readonly key: string;
  readonly request: string;
  readonly revision: number;
  /** Epoch ms. */
  readonly at: number;
}

/** Adds `write` to `writes` (oldest first). Keeps those of `KEY_KNOWN_MS`, at least `KEYS_KNOWN`, at most `MOST_KEYS`. */
export const rememberWrite = (writes: ReadonlyArray<KeyedWrite>, write: KeyedWrite): ReadonlyArray<KeyedWrite> => {
  const all = [...writes, write];
  const recent = all.findIndex(({ at }) => at >= write.at - KEY_KNOWN_MS);
  return all.slice(Math.max(0, all.length - MOST_KEYS, Math.min(recent, all.length - KEYS_KNOWN)));
};

/** The first write under the idempotency key with the digest `key`, if the node still remembers the write. */
export const knownWrite = (writes: ReadonlyArray<KeyedWrite>, key: string): KeyedWrite | undefined =>
  writes.find((write) => write.key === key);

const sentBy = { sender: c.text(SENDER_LENGTH, 1), sequence: c.notNegative };

/** The API process that sends a group, and the group's number in that process. Numbers rise from group to group. */
export const SentBy = c.object('sender', sentBy);
export type SentBy = c.TypeOf<typeof SentBy>;

const answered: c.Codec<number | null> = c.codec('revision or null', {}, (input, context) =>
  input === null ? t.success(null) : c.notNegative.validate(input, context),
);

/**
 * The last group that the node took from an API process. For each command that was decided, `revisions` has the revision in its
 * answer, or null if it was refused.
 */
export const KnownGroup = c.object('group', { ...sentBy, revisions: c.array(answered, GROUP_COMMANDS) });
export type KnownGroup = c.TypeOf<typeof KnownGroup>;

/** `groups` with `group` in place of its sender's last one. Of more than `KNOWN_SENDERS`, the longest silent ones are dropped. */
export const rememberGroup = (groups: ReadonlyArray<KnownGroup>, group: KnownGroup): ReadonlyArray<KnownGroup> =>
  [...groups.filter(({ sender }) => sender !== group.sender), group].slice(-KNOWN_SENDERS);

/** Looks up the group `sentBy`: its record if it is the sender's last; `older` if a later group is known; else undefined. */
export const knownGroup = (
  groups: ReadonlyArray<KnownGroup>,
  sentBy: SentBy | undefined,
): KnownGroup | 'older' | undefined => {
  const last = groups.find(({ sender }) => sender === sentBy?.sender);
  if (last === undefined || sentBy === undefined || sentBy.sequence > last.sequence) return undefined;
  return sentBy.sequence === last.sequence ? last : 'older';
};

/** A write as text: two digests of 12 characters, then revision and time in base 36. 8,192 stay below 320 KB as JSON. */
const CARRIED = /^([\w-]{12})([\w-]{12})([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/u;

export const carriedWrite = ({ key, request, revision, at }: KeyedWrite): string =>
  `${key}${request}${revision.toString(36)}.${at.toString(36)}`;

export const CarriedWrite: c.Codec<KeyedWrite> = c.fromText(
  'keyed write',
  {},
  (input) => {
    const [, key = '', request = '', revision = '', at = ''] = CARRIED.exec(input) ?? [];
    return key === ''
      ? undefined
      : { key, request, revision: Number.parseInt(revision, 36), at: Number.parseInt(at, 36) };
  },
  'must be a keyed write',
);
