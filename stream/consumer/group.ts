import type { RedisLink } from '../link';
import { FIELD, WAITING } from './scripts';

type Redis = Pick<RedisLink, 'client'>;

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
const NOWHERE = '0-0';
/** Time (ms) after which a silent consumer without entries is removed from the group. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Creates the group and the stream where they are missing, removes consumers that were silent for long, and joins. A group that
 * Redis lost, which has read before or which `hasJoined`, begins with the oldest entry: what it has handled is not handled again.
 */
export const joinGroup = async (
  { client }: Redis,
  { stream, group, keep, begin, consumer }: Group,
  hasJoined: boolean,
): Promise<Gap | undefined> => {
  const hasRead = hasJoined || (await client.hLen(`${keep}:last`)) > 0;
  const isMade = await client
    .xGroupCreate(stream, group, begin === 'oldest' || hasRead ? '0' : '$', { MKSTREAM: true })
    .then(
      () => true,
      (error: unknown) => {
        if (!String(error).includes('BUSYGROUP')) throw error;
        return false;
      },
    );
  await client.eval(SWEEP, { keys: [stream], arguments: [group, String(FORGOTTEN_AFTER_MS)] });
  await client.xGroupCreateConsumer(stream, group, consumer);
  if (!isMade || !hasRead) return undefined;
  await client.hDel(`${keep}:gap`, 'missed');
  return { from: NOWHERE, to: (await client.xInfoStream(stream))['first-entry']?.id ?? NOWHERE };
};

/** New entries, the newest id of the stream, and the gap before them where there is one: only one consumer is told of it. */
export const newEntries = async ({ client }: Redis, { stream, keep, group, consumer }: Group, most = AT_ONCE) => {
  const answer: unknown = await client.eval(DELIVER, {
    keys: [stream, `${keep}:waiting`, `${keep}:gap`],
    arguments: [group, consumer, String(most)],
  });
  const [entries, newest, [from, to, missed]] = answer as readonly [Pairs, string, ReadonlyArray<string>];
  const gap: Gap | undefined =
    from === undefined || to === undefined
      ? undefined
      : { from, to, ...(missed !== undefined && { entries: Number(missed) }) };
  return { entries: entries.map(heldOf), newest, gap };
};

/** Waits until the stream has an entry after `newest`; it blocks its connection. */
export const untilNewer = ({ client }: Redis, { stream, claimAfterMs }: Group, newest: string): Promise<unknown> =>
  client.xRead({ key: stream, id: newest }, { COUNT: 1, BLOCK: Math.ceil(Math.min(BLOCK_MS, claimAfterMs / 4)) });

/**
 * Takes what was silent for `silentMs` behind the entry `after`, and is from now on not silent: that of all consumers, or only
 * `own`. Of entries that were trimmed, `lost` has the ids; they are acknowledged. `last` is where the next call goes on, if there may be more.
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
    keys: [stream, `${keep}:waiting`, `${keep}:attempts`],
    arguments: [group, consumer, String(Math.ceil(silentMs)), after, String(most), own ? '1' : '0'],
  });
  const [entries, lost, count, last] = answer as readonly [Pairs, ReadonlyArray<string>, number, string];
  return { entries: entries.map(heldOf), lost, last: count === most ? `(${last}` : undefined };
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
  // A client types a lag that Redis does not know as a number.
  if (typeof own.lag !== 'number') return undefined;
  return Math.min(info.length, Math.max(0, own.lag - Number(missed ?? 0))) + own.pending;
};

type Pairs = ReadonlyArray<readonly [string, string]>;
const heldOf = ([id, node]: Pairs[number]): Held => ({ id, node });

/**
 * Delivers new entries to a consumer: `{ entries, newest, gap }`. The gap, empty where there is none, is that between the last
 * entry that the group was given and the stream's first: both, and how many were trimmed unread. All gaps together are kept in
 * the hash `gap`, since Redis' own count of what a group has read stays behind by them.
 *
 * KEYS: stream, waiting, gap. ARGV: group, consumer, most entries.
 */
const DELIVER = `${FIELD}${WAITING}local stream, gaps = KEYS[1], KEYS[3]
local group, consumer, most = ARGV[1], ARGV[2], ARGV[3]
local info = redis.call('XINFO', 'STREAM', stream)
local first, given, read = field(info, 'first-entry'), '0-0', false
for _, one in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  if field(one, 'name') == group then
    given, read = field(one, 'last-delivered-id'), field(one, 'entries-read')
  end
end
local gap = {}
if first and given ~= '0-0' and place(given) < place(first[1]) then
  local trimmed = field(info, 'entries-added')
  if trimmed and read then
    local missed = trimmed - field(info, 'length') - read
    local fresh = missed - (redis.call('HGET', gaps, 'missed') or 0)
    if fresh < 0 then fresh = missed end
    if fresh > 0 then
      gap = { given, first[1], tostring(fresh) }
      redis.call('HSET', gaps, 'missed', missed, 'from', given, 'to', first[1])
    end
  else
    gap = { given, first[1] }
  end
end
local entries = {}
local answer = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', most, 'STREAMS', stream, '>')
for _, entry in ipairs(answer and answer[1][2] or {}) do
  entries[#entries + 1] = wait(entry)
end
return { entries, field(info, 'last-generated-id'), gap }
`;

/**
 * Takes entries that were silent: `{ entries, lost, count, last }`, the number of those looked at, and the last of them.
 *
 * KEYS: stream, waiting, attempts. ARGV: group, consumer, time (ms) of silence, from, most entries, whether only its own ('1').
 */
const TAKE = `${FIELD}${WAITING}local stream, attempts = KEYS[1], KEYS[3]
local group, consumer, silent, from, most, isOwn = unpack(ARGV)
local look = { 'XPENDING', stream, group, 'IDLE', silent, from, '+', most }
if isOwn == '1' then look[#look + 1] = consumer end
local found, entries, lost = redis.call(unpack(look)), {}, {}
for _, pending in ipairs(found) do
  local id = pending[1]
  local entry = redis.call('XRANGE', stream, id, id)[1]
  if entry then
    redis.call('XCLAIM', stream, group, consumer, 0, id, 'JUSTID')
    entries[#entries + 1] = wait(entry)
  else
    redis.call('XACK', stream, group, id)
    redis.call('HDEL', attempts, id)
    lost[#lost + 1] = id
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
