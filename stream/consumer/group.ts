import type { RedisLink } from '../link';
import { entriesIn, inPairs, type Entry } from '../entry';

export interface Group {
  readonly stream: string;
  /** Consumers of one group share the events; each group gets all of them. */
  readonly group: string;
  /** Where a new group begins: with the oldest entry, the default, or with what comes next. */
  readonly begin: 'oldest' | 'now';
  /** The consumer's name; no two that run at once may have the same. */
  readonly consumer: string;
  /** Time (ms) after which a silent consumer counts as dead, 30 s by default: longer than an event may take. */
  readonly claimAfterMs: number;
}

const AT_ONCE = 16;
const BLOCK_MS = 1_000;
/** Time (ms) after which a silent consumer without entries is removed from the group. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** Creates the group and the stream where they are missing, removes consumers that were silent for long, and joins. */
export const ensureGroup = async ({ client }: RedisLink, { stream, group, begin, consumer }: Group): Promise<void> => {
  await client
    .xGroupCreate(stream, group, begin === 'oldest' ? '0' : '$', { MKSTREAM: true })
    .catch((error: unknown) => {
      if (!String(error).includes('BUSYGROUP')) throw error;
    });
  await client.eval(SWEEP, { keys: [stream], arguments: [group, String(FORGOTTEN_AFTER_MS)] });
  await client.xGroupCreateConsumer(stream, group, consumer);
};

/** What was delivered to this consumer and is not done, after its connection was lost; of those that were trimmed, `lost` has the ids. */
export const ownEntries = async ({ client }: RedisLink, { stream, group, consumer }: Group) => {
  const answer: unknown = await client.eval(OWN, { keys: [stream], arguments: [group, consumer] });
  const [entries, lost] = answer as readonly [ReadonlyArray<readonly [string, ReadonlyArray<string>]>, string[]];
  return { entries: entries.map(([id, texts]): Entry => ({ id, fields: inPairs(texts) })), lost };
};

/** New entries; it blocks its connection until some come, `briefly` not for long. */
export const newEntries = async ({ client }: RedisLink, { stream, group, consumer }: Group, briefly: boolean) => {
  const options = { COUNT: AT_ONCE, BLOCK: briefly ? BLOCK_MS / 10 : BLOCK_MS };
  return entriesIn(await client.xReadGroup(group, consumer, { key: stream, id: '>' }, options));
};

/** Takes over what consumers left that are silent; `hasMore`: there may be others to take over. */
export const claimedEntries = async ({ client }: RedisLink, { stream, group, consumer, claimAfterMs }: Group) => {
  const claimed = await client.xAutoClaim(stream, group, consumer, claimAfterMs, '0', { COUNT: AT_ONCE });
  const entries = claimed.messages.flatMap((found): ReadonlyArray<Entry> =>
    found === null ? [] : [{ id: found.id, fields: { ...found.message } }],
  );
  return { entries, lost: claimed.deletedMessages, hasMore: entries.length === AT_ONCE };
};

/** Leaves `entries` for other consumers, which may claim them at once. */
export const releaseEntries = async (
  { client }: RedisLink,
  { stream, group, consumer, claimAfterMs }: Group,
  entries: ReadonlyArray<Entry>,
): Promise<void> => {
  const own = await client.xPendingRange(stream, group, '-', '+', 10 * AT_ONCE, { consumer });
  const ids = own.map(({ id }) => id).filter((id) => entries.some((entry) => entry.id === id));
  if (ids.length > 0) await client.xClaimJustId(stream, group, consumer, 0, ids, { IDLE: claimAfterMs });
};

/** How many entries of the stream the group has still to handle; undefined where Redis does not know. */
export const lagOf = async ({ client }: RedisLink, { stream, group }: Group): Promise<number | undefined> => {
  const own = (await client.xInfoGroups(stream)).find(({ name }) => name === group);
  return typeof own?.lag === 'number' ? own.lag + own.pending : undefined;
};

/** Lua for scripts of Redis: the text of `name` in a list of names and texts in turn. */
export const FIELD = `
local function field(list, name)
  for at = 1, #list, 2 do
    if list[at] == name then return list[at + 1] end
  end
end
`;

/**
 * What was delivered to a consumer and is not done, from now on not silent: `{ entries, lost }`. `lost` are the ids of those
 * that were trimmed meanwhile; they are acknowledged. XREADGROUP answers them without fields, which the client cannot read.
 *
 * KEYS: stream. ARGV: group, consumer.
 */
const OWN = `local stream, group, consumer = KEYS[1], ARGV[1], ARGV[2]
local entries, lost, from = {}, {}, '-'
repeat
  local own = redis.call('XPENDING', stream, group, from, '+', 100, consumer)
  for _, pending in ipairs(own) do
    local id = pending[1]
    local entry = redis.call('XCLAIM', stream, group, consumer, 0, id)[1]
    if entry then
      entries[#entries + 1] = entry
    else
      redis.call('XACK', stream, group, id)
      lost[#lost + 1] = id
    end
    from = '(' .. id
  end
until #own < 100
return { entries, lost }
`;

/**
 * Removes the consumers of a group that were not heard of for long and hold nothing. One that holds entries stays until they
 * are claimed: removing it would forget them.
 *
 * KEYS: stream. ARGV: group, time (ms).
 */
export const SWEEP = `${FIELD}
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  if field(consumer, 'pending') == 0 and field(consumer, 'idle') > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], field(consumer, 'name'))
  end
end
`;
