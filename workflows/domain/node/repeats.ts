import * as t from 'io-ts';
import * as c from '../codecs';
import { GROUP_COMMANDS, KEY_KNOWN_MS, KEYS_KNOWN, KNOWN_SENDERS, MOST_KEYS, SENDER_LENGTH } from '../limits';

export interface KeyedWrite {
  /** The digest of the key: keys themselves would fill the node. */
  readonly key: string;
  readonly request: string;
  readonly revision: number;
  /** Epoch ms. */
  readonly at: number;
}

/** `writes`, oldest first, with `write`: for ten minutes, the last 256 for longer, never more than 8,192. */
export const rememberWrite = (writes: ReadonlyArray<KeyedWrite>, write: KeyedWrite): ReadonlyArray<KeyedWrite> => {
  const all = [...writes, write];
  const recent = all.findIndex(({ at }) => at >= write.at - KEY_KNOWN_MS);
  return all.slice(Math.max(0, all.length - MOST_KEYS, Math.min(recent, all.length - KEYS_KNOWN)));
};

const sentBy = { sender: c.text(SENDER_LENGTH, 1), sequence: c.notNegative };

/** The API process that sends a group, and the group's number there, which rises. */
export const SentBy = c.object('sender', sentBy);
export type SentBy = c.TypeOf<typeof SentBy>;

const answered: c.Codec<number | null> = c.codec('revision or null', {}, (input, context) =>
  input === null ? t.success(null) : c.notNegative.validate(input, context),
);

/**
 * The last group of an API process that was carried out, in part or whole, with the revision that each of its commands was
 * answered with; null for a command that was refused.
 */
export const KnownGroup = c.object('group', { ...sentBy, revisions: c.array(answered, GROUP_COMMANDS) });
export type KnownGroup = c.TypeOf<typeof KnownGroup>;

/** `groups` with `group` in place of its sender's last one; the senders heard of longest ago are forgotten. */
export const rememberGroup = (groups: ReadonlyArray<KnownGroup>, group: KnownGroup): ReadonlyArray<KnownGroup> =>
  [...groups.filter(({ sender }) => sender !== group.sender), group].slice(-KNOWN_SENDERS);

/** Two digests of 12 characters, then revision and time to base 36: 8,192 of them stay below 320 KB as JSON. */
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
