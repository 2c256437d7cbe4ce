import { reasonOf } from '../../../process/reason-of';
import type { RedisConnection } from '../../../stream/redis-connection';
import { NotNow } from '../../../stream/consumer';
import { FIELD } from '../../../stream/consumer/scripts';

/*
 * The due time: alarms of a consumer group that are due up to this time are told. The processes of the group share it in the
 * Redis hash `<keyPrefix>:flow`, in the field `until`. `reached` is when a process last reached Redis. After an outage of
 * Redis, the due time stands still until the time in `waits` has passed and all entries from before that time are handled.
 */

/** A consumer group of a stream. `keyPrefix` is the prefix of the group's keys in Redis. */
export interface Group {
  readonly redis: RedisConnection;
  readonly stream: string;
  readonly group: string;
  readonly keyPrefix: string;
  /** Whether the process ends once all entries are handled. Before it ends, it tries for a while to deliver all changes. */
  readonly catchUp: boolean;
}

/** Time (ms) that an event may take to reach the stream. The due time stays this far behind the clock. */
const ON_ITS_WAY_MS = 500;
/**
 * If no process of the group reached Redis for this time (ms), Redis counts as unavailable, also to the nodes. A restart after
 * a kill takes less time, and so does the pause between two tries while Alertmanager fails.
 */
const UNREACHED_MS = 20_000;
/** Time (ms) after an outage of Redis within which nodes publish their waiting events. They try at least every 5 seconds. */
const PUBLISHED_WITHIN_MS = 15_000;

/** Lua: `now` is Redis' time (epoch ms). `kept` reads a time in the hash `flow`; 0 if it is missing. */
const TIMES = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function kept(flow, name) return tonumber(redis.call('HGET', flow, name) or '0') end
`;

/**
 * Lua: `reach` records that a process reached Redis, and begins a wait after an outage. All processes of the group call it, not
 * only the one that delivers.
 */
const REACH = `${TIMES}local function reach(flow)
  local reached = tonumber(redis.call('HGET', flow, 'reached') or now)
  if now - reached > ${UNREACHED_MS} then
    redis.call('HSET', flow, 'waits', string.format('%.0f', now + ${PUBLISHED_WITHIN_MS}))
  end
  redis.call('HSET', flow, 'reached', string.format('%.0f', now))
end
`;

/** Takes or extends the lease of the process that delivers, for `leaseMs`. Returns whether `token`, this process, has it. */
export const acquireLease = async (
  { redis, keyPrefix }: Pick<Group, 'redis' | 'keyPrefix'>,
  token: string,
  leaseMs: number,
) =>
  (await redis.client.eval(ACQUIRE_LEASE, {
    keys: [`${keyPrefix}:sender`, `${keyPrefix}:flow`],
    arguments: [token, String(leaseMs)],
  })) === 1;

/** KEYS: the lease, flow. ARGV: token, duration of the lease (ms). */
const ACQUIRE_LEASE = `${REACH}reach(KEYS[2])
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/**
 * The time up to which alarms of a node may have been told before the effect of an event is stored. The due time does not pass
 * `appendedAt`, the event's time in the stream, while the event is unhandled. Errors: `NotNow` while Redis is unavailable.
 */
export const notifiedUntil = async (
  { redis, keyPrefix }: Pick<Group, 'redis' | 'keyPrefix'>,
  appendedAt: number,
): Promise<number> => {
  try {
    return Number(
      await redis.client.eval(NOTIFIED_UNTIL, { keys: [`${keyPrefix}:flow`], arguments: [String(appendedAt)] }),
    );
  } catch (error) {
    throw new NotNow(reasonOf(error)); // the consumer has a connection of its own, which may still work
  }
};

/** KEYS: flow. ARGV: when the event came into the stream (epoch ms). */
const NOTIFIED_UNTIL = `${REACH}local flow, appended = KEYS[1], tonumber(ARGV[1])
reach(flow)
local told, waits = kept(flow, 'until'), kept(flow, 'waits')
if appended >= waits or waits - now > ${PUBLISHED_WITHIN_MS} then told = math.max(told, appended) end
return string.format('%.0f', told)
`;

/**
 * `now`: the time by Redis' clock. `until`: the group has handled all entries before this time. `isBehind`: the group has
 * entries left to handle. `asOf`: alarms are due up to this time. Unless a wait holds it, the call advances and stores `asOf`.
 */
export const advanceDueTime = async ({ redis, stream, group, keyPrefix, catchUp }: Group) => {
  const longestWaitMs = catchUp ? 0 : PUBLISHED_WITHIN_MS;
  const answer: unknown = await redis.client.eval(ADVANCE_DUE_TIME, {
    keys: [stream, `${keyPrefix}:flow`],
    arguments: [group, String(longestWaitMs)],
  });
  const [now = 0, until = 0, behind, asOf = 0] = (answer as ReadonlyArray<string>).map(Number);
  return { now, until, isBehind: behind === 1, asOf };
};

/**
 * KEYS: stream, flow. ARGV: group; how long (ms) alarms wait at most. The time up to which alarms are due never goes back,
 * whatever happens to the group or to the clock of Redis.
 */
const ADVANCE_DUE_TIME = `${FIELD}${TIMES}local stream, flow, group, longest_wait = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])
local until_, behind = 0, '1'
-- An error where there is no stream yet.
for _, one in ipairs(redis.pcall('XINFO', 'GROUPS', stream)) do
  if field(one, 'name') == group then
    local first
    if field(one, 'pending') > 0 then
      first = redis.call('XPENDING', stream, group)[2]
    else
      local next = redis.call('XRANGE', stream, '(' .. field(one, 'last-delivered-id'), '+', 'COUNT', 1)[1]
      first = next and next[1]
    end
    until_ = first and tonumber(string.match(first, '^%d+')) or now
    behind = first and '1' or '0'
  end
end
local as_of, waits = kept(flow, 'until'), kept(flow, 'waits')
if waits - now > longest_wait then -- to catch up, or where the clock of Redis was set back
  waits = now
  redis.call('HSET', flow, 'waits', string.format('%.0f', waits))
end
local may_move = now >= waits and until_ >= waits
until_ = math.max(until_, as_of)
if may_move then
  as_of = math.max(as_of, math.min(until_, now - ${ON_ITS_WAY_MS}))
  redis.call('HSET', flow, 'until', string.format('%.0f', as_of))
end
return { string.format('%.0f', now), string.format('%.0f', until_), behind, string.format('%.0f', as_of) }
`;
