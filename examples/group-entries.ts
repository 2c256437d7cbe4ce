import { createLog } from '../process/log';
import type { RedisSettings } from '../process/settings';
import { connectRedis, type RedisLink } from '../stream/connection';
import type { EntryFields } from '../stream/entry';

/** An entry of the stream that this consumer has to handle. */
export interface Entry {
  readonly id: string;
  readonly fields: EntryFields;
}

export interface Group {
  readonly redis: RedisSettings;
  /** The stream, or one partition of it. */
  readonly stream: string;
  readonly group: string;
  /** Where the names of what the group keeps begin: its name and, for a partition, the partition's hash tag. */
  readonly keep: string;
  /** The consumer's name; no two that run at once may have the same. */
  readonly consumer: string;
  /** After this time a silent consumer counts as dead: longer than an event may take. */
  readonly claimAfterMs: number;
}

const AT_ONCE = 16;
const BLOCK_MS = 1_000;

/** A connection to the primary that keeps the stream. It reconnects by itself, and its commands fail while Redis is unavailable. */
export const connect = ({ redis, stream, group }: Group): RedisLink =>
  connectRedis({ ...redis, log: createLog({ level: 'silent', process: group }), name: group }, stream);

/** Makes the group, from the first entry on, unless it is there; the stream as well. */
export const ensureGroup = async ({ client }: RedisLink, { stream, group }: Group): Promise<void> => {
  await client.xGroupCreate(stream, group, '0', { MKSTREAM: true }).catch((error: unknown) => {
    if (!String(error).includes('BUSYGROUP')) throw error;
  });
};

/** What was delivered to this consumer and is not done: after its connection was lost. */
export const ownEntries = (link: RedisLink, group: Group): Promise<ReadonlyArray<Entry>> => read(link, group, '0', {});

/** New entries; it blocks its connection until some come, `briefly` not for long. */
export const newEntries = (link: RedisLink, group: Group, briefly: boolean): Promise<ReadonlyArray<Entry>> =>
  read(link, group, '>', { BLOCK: briefly ? BLOCK_MS / 10 : BLOCK_MS });

/** Takes over what consumers left that are silent; `lost` are entries that were trimmed before anyone handled them. */
export const claimedEntries = async ({ client }: RedisLink, { stream, group, consumer, claimAfterMs }: Group) => {
  const claimed = await client.xAutoClaim(stream, group, consumer, claimAfterMs, '0', { COUNT: AT_ONCE });
  const entries = claimed.messages.flatMap((message) => (message === null ? [] : [message]));
  return {
    entries: entries.map(({ id, message }): Entry => ({ id, fields: { ...message } })),
    lost: claimed.deletedMessages,
  };
};

type Reply = ReadonlyArray<{
  readonly messages: ReadonlyArray<{ readonly id: string; readonly message: EntryFields }>;
}> | null;

const read = async (
  { client }: RedisLink,
  { stream, group, consumer }: Group,
  id: string,
  options: { readonly BLOCK?: number },
): Promise<ReadonlyArray<Entry>> => {
  const reply: Reply = await client.xReadGroup(group, consumer, { key: stream, id }, { COUNT: AT_ONCE, ...options });
  return (reply?.[0]?.messages ?? []).map(({ id: entry, message }) => ({ id: entry, fields: message }));
};
