import type { RedisLink } from '../link';
import { FIELD, UNREPORTED, WAITING } from './scripts';

export type Redis = Pick<RedisLink, 'client'>;

export interface Group {
  readonly stream: string;
  /** Consumers of one group share the events; each group gets all of them. */
  readonly group: string;
  /** What `keepOf` gives. */
  readonly keep: string;
  /** Where a new group begins: with the oldest entry, the default, or with what comes next. */
  readonly begin: 'oldest' | 'now';
  /** The consumer's name; no two that run at once may have the same. */
  readonly consumer: string;
  /**
   * Time (ms) after which a silent consumer counts as dead, and a try to handle an event as failed, 30 s by default: longer than
   * an event may take.
   */
  readonly claimAfterMs: number;
}

/** Where the names of what a group keeps of a stream begin; a hash tag of the stream is theirs as well. */
export const keepOf = (stream: string, group: string): string => `${stream}:${group}`;

/** An entry that a consumer holds. Its fields stay in Redis until its turn: a node that waits may have thousands. */
export interface Held {
  readonly id: string;
  /** The node of the entry; its own id where it names none. */
  readonly node: string;
}

/**
 * Entries that the group never handles, since they were trimmed before: those between `from`, the last one before them, and `to`,
 * the first one after them. An id begins with its time in epoch ms. One that was trimmed while a consumer had it is both.
 */
export interface Gap {
  /** `0-0` where Redis lost the group: nobody knows which events it lost with it. */
  readonly from: string;
  readonly to: string;
  /** How many they are, where Redis knows. */
  readonly entries?: number;
}

const AT_ONCE = 16;
/** Entries taken at once: of each, Redis looks up the node. */
const TAKEN_AT_ONCE = 100;
const BLOCK_MS = 1_000;
export const NOWHERE = '0-0';
/** For the number of entries in a gap. */
export const UNKNOWN = '?';
/** Time (ms) after which a silent consumer without entries is removed from the group. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Creates the group and the stream where they are missing, removes consumers that were silent for long, and joins. A group that
 * Redis lost, which has read before or which `hasJoined`, begins with the oldest entry: what it has handled is not handled again.
 * That is a gap.
 */
export const joinGroup = async (
  { client }: Redis,
  { stream, group, keep, begin, consumer }: Group,
  hasJoined: boolean,
): Promise<void> => {
  await client.eval(JOIN, {
    keys: [stream, `${keep}:last`, `${keep}:gap`, `${keep}:unreported`],
    arguments: [group, consumer, begin === 'oldest' ? '0' : '$', hasJoined ? '1' : '0'],
  });
  await client.eval(SWEEP, { keys: [stream], arguments: [group, String(FORGOTTEN_AFTER_MS)] });
};

/** New entries, the newest id of the stream, and whether there is a gap before them, which is unreported. */
export const newEntries = async ({ client }: Redis, { stream, keep, group, consumer }: Group, most = AT_ONCE) => {
  const answer: unknown = await client.eval(DELIVER, {
    keys: [stream, `${keep}:waiting`, `${keep}:gap`, `${keep}:unreported`],
    arguments: [group, consumer, String(most)],
  });
  const [entries, newest, gaps] = answer as readonly [Pairs, string, number];
  return { entries: entries.map(heldOf), newest, hasGap: gaps > 0 };
};

/** Waits until the stream has an entry after `newest`; it blocks its connection. */
export const untilNewer = ({ client }: Redis, { stream, claimAfterMs }: Group, newest: string): Promise<unknown> =>
  client.xRead({ key: stream, id: newest }, { COUNT: 1, BLOCK: Math.ceil(Math.min(BLOCK_MS, claimAfterMs / 4)) });

/**
 * Takes what was silent for `silentMs` behind the entry `after`, and is from now on not silent: that of all consumers, or only
 * `own`. Entries that were trimmed are acknowledged; `hasGap`: there are such. `last` is where the next call goes on, if there may be more.
 */
export const takeSilent = async (
  { client }: Redis,
  { stream, keep, group, consumer }: Group,
  silentMs: number,
  own: boolean,
  after: string,
) => {
  const most = own ? TAKEN_AT_ONCE : AT_ONCE;
  const answer: unknown = await client.eval(TAKE, {
    keys: [stream, `${keep}:waiting`, `${keep}:attempts`, `${keep}:unreported`],
    arguments: [group, consumer, String(Math.ceil(silentMs)), after, String(most), own ? '1' : '0'],
  });
  const [entries, lost, count, last] = answer as readonly [Pairs, number, number, string];
  return { entries: entries.map(heldOf), hasGap: lost > 0, last: count === most ? `(${last}` : undefined };
};

/** Leaves all that the consumer holds to others, which may take it at once, and signs off where it holds nothing. */
export const leaveGroup = ({ client }: Redis, { stream, group, consumer, claimAfterMs }: Group): Promise<unknown> =>
  client.eval(LEAVE, { keys: [stream], arguments: [group, consumer, String(claimAfterMs)] });

/**
 * How many entries of the stream the group has still to handle; undefined where Redis does not know. Redis counts what was
 * trimmed unread for good, also when the group has read all that there is.
 */
export const lagOf = async ({ client }: Redis, { stream, group, keep }: Group): Promise<number | undefined> => {
  const [groups, info, missed] = await Promise.all([
    client.xInfoGroups(stream),
    client.xInfoStream(stream),
    client.hGet(`${keep}:gap`, 'missed'),
  ]);
  const own = groups.find(({ name }) => name === group);
  if (own === undefined) return undefined;
  if (own['last-delivered-id'] === info['last-generated-id'] || info.length === 0) return own.pending;
  // A client types numbers that Redis does not know as such.
  if (typeof own.lag !== 'number') return undefined;
  const uncounted = typeof own['entries-read'] === 'number' ? Number(missed ?? 0) : 0;
  return Math.min(info.length, Math.max(0, own.lag - uncounted)) + own.pending;
};

type Pairs = ReadonlyArray<readonly [string, string]>;
const heldOf = ([id, node]: Pairs[number]): Held => ({ id, node });

/** KEYS: stream, last, gap, unreported. ARGV: group, consumer, where a new group begins, whether this consumer has joined before. */
const JOIN = `${FIELD}${UNREPORTED}local stream, last, gaps = KEYS[1], KEYS[2], KEYS[3]
local group, consumer, begin, hasJoined = unpack(ARGV)
local hasRead = hasJoined == '1' or redis.call('HLEN', last) > 0
local made = redis.pcall('XGROUP', 'CREATE', stream, group, hasRead and '0' or begin, 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
if hasRead and not made.err then
  local first = field(redis.call('XINFO', 'STREAM', stream), 'first-entry')
  lose('${NOWHERE}', first and first[1] or '${NOWHERE}', '${UNKNOWN}', consumer)
  redis.call('HDEL', gaps, 'missed')
end
return redis.call('XGROUP', 'CREATECONSUMER', stream, group, consumer)
`;

/**
 * Delivers new entries to a consumer: `{ entries, newest, gaps }`, the last a number. A gap is that between the last entry that the
 * group was given and the stream's first.
 *
 * Redis' own count of what a group has read may stay behind by what was trimmed unread, for good (7.0), or until the operator
 * moves the group. Wherever the place of the group is known, behind a gap and at the stream's end, `missed` in the hash `gap` is
 * by how many entries the count is too small.
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
  return '${NOWHERE}', false
end
local last, read = given()
local missed = tonumber(redis.call('HGET', gaps, 'missed') or 0)
local isBehind, found = first and place(last) < place(first[1]), 0
if isBehind and last ~= '${NOWHERE}' then
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
 * Takes entries that were silent: `{ entries, lost, count, last }`, the numbers of those that were trimmed and of those looked at,
 * and the last of them.
 *
 * KEYS: stream, waiting, attempts, unreported. ARGV: group, consumer, time (ms) of silence, from, most entries, whether only its own ('1').
 */
const TAKE = `${FIELD}${WAITING}${UNREPORTED}local stream, attempts = KEYS[1], KEYS[3]
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

/** KEYS: stream. ARGV: group, consumer, time (ms) of silence after which others may claim. */
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
