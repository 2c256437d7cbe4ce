import { IS_NEWER } from '../stream/is-newer';

/** The turn of an entry. */
export type Turn = 'go' | 'wait' | 'taken' | 'repeat' | 'aside';

export const isTurn = (turn: unknown): turn is Turn =>
  turn === 'go' || turn === 'wait' || turn === 'taken' || turn === 'repeat' || turn === 'aside';

/**
 * Asks for the turn of an entry, and counts the tries.
 *
 * 'taken': another consumer has claimed it, or it is done. 'repeat': its node has taken it or a later one before; it is
 * acknowledged. 'wait': an earlier entry of its node is still pending, in whatever consumer. Entries reach a group in their
 * order, so once no earlier one is pending none will be. 'aside': it was tried too often, and now lies in the stream of
 * entries set aside.
 *
 * KEYS: stream, attempts, aside, last. ARGV: group, consumer, entry, node (empty: only set aside), most tries, reason,
 * sequenceId, most entries set aside.
 */
export const TURN = `${IS_NEWER}local stream, attempts, aside, last = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, consumer, id, node, most, reason, sequenceId, mostAside = unpack(ARGV)
local own = redis.call('XPENDING', stream, group, id, id, 1)
if #own == 0 or own[1][2] ~= consumer then
  return 'taken'
end
local function field(entry, name)
  for at = 1, #entry, 2 do
    if entry[at] == name then return entry[at + 1] end
  end
end
if node ~= '' then
  local earlier = redis.call('XPENDING', stream, group, '-', '(' .. id, 1000)
  local blocked = #earlier == 1000
  for _, pending in ipairs(earlier) do
    local entry = redis.call('XRANGE', stream, pending[1], pending[1])[1]
    blocked = blocked or (entry and field(entry[2], 'aggregateId') == node)
  end
  if blocked then
    redis.call('XCLAIM', stream, group, consumer, 0, id, 'JUSTID')
    return 'wait'
  end
  if not isNewer(sequenceId, redis.call('HGET', last, node) or '') then
    redis.call('XACK', stream, group, id)
    redis.call('HDEL', attempts, id)
    return 'repeat'
  end
  if redis.call('HINCRBY', attempts, id, 1) <= tonumber(most) then
    return 'go'
  end
end
local entry = redis.call('XRANGE', stream, id, id)[1]
redis.call('XADD', aside, 'MAXLEN', '~', mostAside, '*', 'entry', id, 'reason', reason, unpack(entry and entry[2] or {}))
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
return 'aside'
`;

/**
 * Keeps the effect of an event together with its sequenceId, unless the node is there already, and acknowledges the entry:
 * all or nothing. Answers 1 for an effect, 0 for a repeat. Ids are compared byte by byte: Lua's own `>` follows the locale of
 * the Redis server.
 *
 * KEYS: stream, attempts, last, trail, then a hash for each text of the node. ARGV: group, entry, node, sequenceId, whether
 * something is added to the trail ('1' or '0'), what; then for each hash whether the text is set ('1') or removed ('0'), and
 * the text.
 */
export const FINISH = `${IS_NEWER}local stream, attempts, last, trail = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, id, node, sequenceId, hasTrail, text = unpack(ARGV)
local isNew = isNewer(sequenceId, redis.call('HGET', last, node) or '')
if isNew then
  redis.call('HSET', last, node, sequenceId)
  if hasTrail == '1' then redis.call('RPUSH', trail, text) end
  for at = 5, #KEYS do
    if ARGV[2 * at - 3] == '1' then
      redis.call('HSET', KEYS[at], node, ARGV[2 * at - 2])
    else
      redis.call('HDEL', KEYS[at], node)
    end
  end
end
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
return isNew and 1 or 0
`;

/**
 * What was delivered to a consumer and is not done, from now on not silent: `{ entries, lost }`. `lost` are the ids of those
 * that were trimmed meanwhile; they are acknowledged. XREADGROUP answers them without fields, which the client cannot read.
 *
 * KEYS: stream. ARGV: group, consumer.
 */
export const OWN = `local stream, group, consumer = KEYS[1], ARGV[1], ARGV[2]
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
export const SWEEP = `
local function field(consumer, name)
  for at = 1, #consumer, 2 do
    if consumer[at] == name then return consumer[at + 1] end
  end
end
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  if field(consumer, 'pending') == 0 and field(consumer, 'idle') > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], field(consumer, 'name'))
  end
end
`;
