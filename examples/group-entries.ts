import { createClient } from 'redis';
import type { EntryFields } from '../workflows/domain/events/read-event';

/** An entry of the stream that this consumer has to handle. */
export interface Entry {
  readonly id: string;
  readonly fields: EntryFields;
}

export interface Group {
  readonly url: string;
  readonly stream: string;
  readonly group: string;
  /** The consumer's name; no two that run at once may have the same. */
  readonly consumer: string;
  /** After this time a silent consumer counts as dead: longer than an event may take. */
  readonly claimAfterMs: number;
}

const AT_ONCE = 16;
const BLOCK_MS = 1_000;

export type RedisClient = ReturnType<typeof connect>;

/** A connection that reconnects by itself, and whose commands fail while Redis is unavailable. */
export const connect = (url: string) => {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 1_000,
    socket: { socketTimeout: 5_000, reconnectStrategy: (tries) => Math.min(1_000, 50 * 2 ** tries) },
  });
  client.on('error', () => undefined); // it also fails the command that waits
  client.connect().catch(() => undefined); // settled by closing
  return client;
};

/** Makes the group, from the first entry on, unless it is there; the stream as well. */
export const ensureGroup = async (client: RedisClient, { stream, group }: Group): Promise<void> => {
  await client.xGroupCreate(stream, group, '0', { MKSTREAM: true }).catch((error: unknown) => {
    if (!String(error).includes('BUSYGROUP')) throw error;
  });
};

/** What was delivered to this consumer and is not done: after its connection was lost. */
export const ownEntries = (client: RedisClient, group: Group): Promise<ReadonlyArray<Entry>> =>
  read(client, group, '0', {});

/** New entries; it blocks its connection until some come, `briefly` not for long. */
export const newEntries = (client: RedisClient, group: Group, briefly: boolean): Promise<ReadonlyArray<Entry>> =>
  read(client, group, '>', { BLOCK: briefly ? BLOCK_MS / 10 : BLOCK_MS });

/** Takes over what consumers left that are silent; `lost` are entries that were trimmed before anyone handled them. */
export const claimedEntries = async (client: RedisClient, { stream, group, consumer, claimAfterMs }: Group) => {
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
  client: RedisClient,
  { stream, group, consumer }: Group,
  id: string,
  options: { readonly BLOCK?: number },
): Promise<ReadonlyArray<Entry>> => {
  const reply: Reply = await client.xReadGroup(group, consumer, { key: stream, id }, { COUNT: AT_ONCE, ...options });
  return (reply?.[0]?.messages ?? []).map(({ id: entry, message }) => ({ id: entry, fields: message }));
};
