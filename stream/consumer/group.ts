import { STREAM_START } from '../entry';
import type { RedisConnection } from '../redis-connection';
import { FIELD, UNREPORTED, WAITING } from './scripts';

export type RedisCommands = Pick<RedisConnection, 'client'>;

/** The default of `claimAfterMs`. */
export const CLAIM_AFTER_MS = 30_000;

export interface ConsumerGroup {
  readonly stream: string;
  /** Consumers of one group share the events; each group gets all of them. */
  readonly group: string;
  /** The prefix of the group's keys in Redis, from `keyPrefixOf`. */
  readonly keyPrefix: string;
  /** Where a new group begins: with the oldest entry of the stream (the default), or with the next entry that is added. */
  readonly begin: 'oldest' | 'now';
  /** The consumer's name. Two consumers that run at the same time must not have the same name. */
  readonly consumer: string;
  /**
   * Time (ms) after which a silent consumer counts as dead, and an unfinished try to handle an event counts as failed; 30 s by
   * default. It must be longer than handling an event may take.
   */
  readonly claimAfterMs: number;
}

/** The prefix of a group's keys. It begins with the stream's name, so that the keys share the stream's hash tag. */
export const keyPrefixOf = (stream: string, group: string): string => `${stream}:${group}`;

/** An entry that this consumer has to handle. Its fields are read only at its turn, because thousands of entries may wait. */
export interface PendingEntry {
  readonly id: string;
  /** The node of the entry; the entry's own id if the entry names no node. */
  readonly node: string;
}

/**
 * Entries that the group never handles, because they were trimmed from the stream first. `from` is the id of the last entry
 * before them, and `to` the id of the first entry after them. If a single entry was trimmed after its delivery, both are its
 * own id. An id begins with the time of its entry in epoch ms.
 */
export interface Gap {
  /** `0-0` if Redis lost the whole group. Nobody knows then which events were missed. */
  readonly from: string;
  readonly to: string;
  /** The number of entries, if Redis knows it. */
  readonly entries?: number;
}

const AT_ONCE = 16;
/** The most entries of its own that a consumer claims in one call. Redis reads each of these entries to find its node. */
const MOST_CLAIMED = 100;
const BLOCK_MS = 1_000;
/** Stands for the number of entries in a gap if Redis does not know it. */
export const UNKNOWN = '?';
/** Time (ms) after which a silent consumer that has no pending entries is removed from the group. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Creates the group and the stream if they are missing, joins, and removes consumers without pending entries after an idle
 * hour. Redis has lost a missing group if the group has handled events, or if this consumer `hasJoined` it before. Then the new
 * group begins with the oldest entry, and a gap is stored. Events that the lost group had handled are not handled again.
 */
export const joinGroup = async (
  { client }: RedisCommands,
  { stream, group, keyPrefix, begin, consumer }: ConsumerGroup,
  hasJoined: boolean,
): Promise<void> => {
  await client.eval(JOIN, {
    keys: [stream, `${keyPrefix}:last`, `${keyPrefix}:gap`, `${keyPrefix}:unreported`],
    arguments: [group, consumer, begin === 'oldest' ? '0' : '$', hasJoined ? '1' : '0'],
  });
  await client.eval(SWEEP, { keys: [stream], arguments: [group, String(FORGOTTEN_AFTER_MS)] });
};

/** Delivers new entries. `newest` is the newest id of the stream; `hasGap`: a gap before the entries is not reported yet. */
export const newEntries = async (
  { client }: RedisCommands,
  { stream, keyPrefix, group, consumer }: ConsumerGroup,
  most = AT_ONCE,
) => {
  const answer: unknown = await client.eval(DELIVER, {
    keys: [stream, `${keyPrefix}:waiting`, `${keyPrefix}:gap`, `${keyPrefix}:unreported`],
    arguments: [group, consumer, String(most)],
  });
  const [entries, newest, gaps] = answer as readonly [Pairs, string, number];
  return { entries: entries.map(pendingEntryOf), newest, hasGap: gaps > 0 };
};

/** Waits at most one second for an entry after `newest`. Meanwhile the connection runs no other command. */
export const waitForNewer = (
  { client }: RedisCommands,
  { stream, claimAfterMs }: ConsumerGroup,
  newest: string,
): Promise<unknown> =>
  client.xRead({ key: stream, id: newest }, { COUNT: 1, BLOCK: Math.ceil(Math.min(BLOCK_MS, claimAfterMs / 4)) });

/**
 * Claims pending entries that were idle for `silentMs`, which resets their idle time. It begins at `after`, an id as XPENDING
 * takes it. With `own` it looks only at this consumer's entries, else at those of all consumers. It acknowledges trimmed
 * entries; `hasGap` is true if there were any. `last` is the `after` of the next call; undefined if no more entries follow.
 */
export const claimIdle = async (
  { client }: RedisCommands,
  { stream, keyPrefix, group, consumer }: ConsumerGroup,
  silentMs: number,
  own: boolean,
  after: string,
) => {
  const most = own ? MOST_CLAIMED : AT_ONCE;
  const answer: unknown = await client.eval(CLAIM_IDLE, {
    keys: [stream, `${keyPrefix}:waiting`, `${keyPrefix}:attempts`, `${keyPrefix}:unreported`],
    arguments: [group, consumer, String(Math.ceil(silentMs)), after, String(most), own ? '1' : '0'],
  });
  const [entries, lost, count, last] = answer as readonly [Pairs, number, number, string];
  return { entries: entries.map(pendingEntryOf), hasGap: lost > 0, last: count === most ? `(${last}` : undefined };
};

/** Lets other consumers claim this consumer's pending entries at once. A consumer without pending entries is removed. */
export const leaveGroup = (
  { client }: RedisCommands,
  { stream, group, consumer, claimAfterMs }: ConsumerGroup,
): Promise<unknown> => client.eval(LEAVE, { keys: [stream], arguments: [group, consumer, String(claimAfterMs)] });

/**
 * How many entries of the stream the group has still to handle; undefined if Redis does not know. Redis' own lag also counts
 * entries that were trimmed unread, so their number (`missed`) is subtracted.
 */
export const lagOf = async (
  { client }: RedisCommands,
  { stream, group, keyPrefix }: ConsumerGroup,
): Promise<number | undefined> => {
  const [groups, info, missed] = await Promise.all([
    client.xInfoGroups(stream),
    client.xInfoStream(stream),
    client.hGet(`${keyPrefix}:gap`, 'missed'),
  ]);
  const own = groups.find(({ name }) => name === group);
  if (own === undefined) return undefined;
  if (own['last-delivered-id'] === info['last-generated-id'] || info.length === 0) return own.pending;
  // The client's types promise a number, but Redis does not always know the lag.
  if (typeof own.lag !== 'number') return undefined;
  const uncounted = typeof own['entries-read'] === 'number' ? Number(missed ?? 0) : 0;
  return Math.min(info.length, Math.max(0, own.lag - uncounted)) + own.pending;
};

type Pairs = ReadonlyArray<readonly [string, string]>;
const pendingEntryOf = ([id, node]: Pairs[number]): PendingEntry => ({ id, node });

/**
 * Creates the stream and the group if they are missing, joins the group, and stores a gap if Redis has lost the group.
 * KEYS: stream, last, gap, unreported. ARGV: group, consumer, begin of a new group, '1' if the consumer joined before.
 */
const JOIN = `${FIELD}${UNREPORTED}local stream, last, gaps = KEYS[1], KEYS[2], KEYS[3]
local group, consumer, begin, hasJoined = unpack(ARGV)
local hasRead = hasJoined == '1' or redis.call('HLEN', last) > 0
local made = redis.pcall('XGROUP', 'CREATE', stream, group, hasRead and '0' or begin, 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
if hasRead and not made.err then
  local first = field(redis.call('XINFO', 'STREAM', stream), 'first-entry')
  lose('${STREAM_START}', first and first[1] or '${STREAM_START}', '${UNKNOWN}', consumer)
  redis.call('HDEL', gaps, 'missed')
end
return redis.call('XGROUP', 'CREATECONSUMER', stream, group, consumer)
`;

/**
 * Delivers new entries to a consumer: `{ entries, newest, gaps }`. `gaps` is 1 if entries are missing between the last one that
 * was delivered to the group and the first one that the stream still has, else 0.
 *
 * Redis' own count of the entries that a group has read may lack those that were trimmed unread. It may stay too small until an
 * operator moves the group. The true count is known after a gap and at the stream's end. There the script stores the difference
 * as `missed` in the hash `gap`.
 *
 * KEYS: stream, waiting, gap, unreported. ARGV: group, consumer, most entries.
 */
const DELIVER = `${FIELD}${WAITING}${UNREPORTED}local stream, gaps = KEYS[1], KEYS[3]
local group, consumer, most = ARGV[1], ARGV[2], ARGV[3]
local info = redis.call('XINFO', 'STREAM', stream)
local first, length, added = field(info, 'first-entry'), field(info, 'length'), field(info, 'entries-added')
local function given()
  for _, one in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if field(one, 'name') == group then return field(one, 'last-delivered-id'), field(one, 'entries-read') end
  end
  return '${STREAM_START}', false
end
local last, read = given()
local missed = tonumber(redis.call('HGET', gaps, 'missed') or 0)
local isBehind, found = first and place(last) < place(first[1]), 0
if isBehind and last ~= '${STREAM_START}' then
  local entries = added and read and added - length - read - missed
  if entries ~= 0 then
    lose(last, first[1], entries and entries > 0 and entries or '${UNKNOWN}', consumer)
    found = 1
  end
end
local entries = {}
local answer = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', most, 'STREAMS', stream, '>')
for _, entry in ipairs(answer and answer[1][2] or {}) do
  entries[#entries + 1] = wait(entry)
end
if added and (isBehind or #entries < tonumber(most)) then
  local at = #entries < tonumber(most) and added or added - length + #entries
  local _, count = given()
  if count and at - count ~= missed then redis.call('HSET', gaps, 'missed', at - count) end
end
return { entries, field(info, 'last-generated-id'), found }
`;

/**
 * Claims idle entries: `{ entries, lost, count, last }`. `lost` is the number of trimmed entries, `count` the number of all
 * entries that the script looked at, and `last` the id of the last entry that it looked at; empty if there was none.
 *
 * KEYS: stream, waiting, attempts, unreported. ARGV: group, consumer, least idle time (ms), first id, most entries, '1' to look
 * only at the consumer's own entries.
 */
const CLAIM_IDLE = `${FIELD}${WAITING}${UNREPORTED}local stream, attempts = KEYS[1], KEYS[3]
local group, consumer, silent, from, most, isOwn = unpack(ARGV)
local look = { 'XPENDING', stream, group, 'IDLE', silent, from, '+', most }
if isOwn == '1' then look[#look + 1] = consumer end
local found, entries, lost = redis.call(unpack(look)), {}, 0
for _, pending in ipairs(found) do
  local id = pending[1]
  local entry = redis.call('XRANGE', stream, id, id)[1]
  if entry then
    redis.call('XCLAIM', stream, group, consumer, 0, id, 'JUSTID')
    entries[#entries + 1] = wait(entry)
  else
    lose(id, id, 1, consumer)
    redis.call('XACK', stream, group, id)
    redis.call('HDEL', attempts, id)
    lost = lost + 1
  end
end
return { entries, lost, #found, #found > 0 and found[#found][1] or '' }
`;

/**
 * Sets the idle time of the consumer's pending entries, so that others may claim them. Removes a consumer without such entries.
 * KEYS: stream. ARGV: group, consumer, the idle time (ms).
 */
const LEAVE = `local stream, group, consumer, silent = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local from = '-'
repeat
  local own = redis.call('XPENDING', stream, group, from, '+', 100, consumer)
  for _, pending in ipairs(own) do
    redis.call('XCLAIM', stream, group, consumer, 0, pending[1], 'IDLE', silent, 'JUSTID')
    from = '(' .. pending[1]
  end
  -- Removing a consumer forgets what it has not done.
  if from == '-' then return redis.call('XGROUP', 'DELCONSUMER', stream, group, consumer) end
until #own < 100
`;

/**
 * Removes the consumers of a group that were idle for a given time and have no pending entries. A consumer with pending entries
 * stays until other consumers have claimed them: Redis would forget the entries together with the consumer.
 *
 * KEYS: stream. ARGV: group, the idle time (ms).
 */
export const SWEEP = `${FIELD}
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  if field(consumer, 'pending') == 0 and field(consumer, 'idle') > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], field(consumer, 'name'))
  end
end
`;
