import { IS_NEWER } from '../stream/is-newer';

/** The turn of an entry. */
export type Turn = 'go' | 'wait' | 'taken' | 'aside';

/**
 * Asks for the turn of an entry, and counts the tries.
 *
 * 'taken': another consumer has claimed it, or it is done. 'wait': an earlier entry of its node is still pending, in whatever
 * consumer. Entries reach a group in their order, so once no earlier one is pending none will be. 'aside': it was tried too
 * often, and now lies in the stream of entries set aside.
 *
 * KEYS: stream, attempts, aside. ARGV: group, consumer, entry, node (empty: only set aside), most attempts, reason.
 */
export const TURN = `
local stream, attempts, aside = KEYS[1], KEYS[2], KEYS[3]
local group, consumer, id, node, most, reason = unpack(ARGV)
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
  if redis.call('HINCRBY', attempts, id, 1) <= tonumber(most) then
    return 'go'
  end
end
local entry = redis.call('XRANGE', stream, id, id)[1]
redis.call('XADD', aside, '*', 'entry', id, 'reason', reason, unpack(entry and entry[2] or {}))
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
return 'aside'
`;

/**
 * Keeps the effect of an event together with its sequenceId, unless the node is there already, and acknowledges the entry:
 * all or nothing. Answers 1 for an effect, 0 for a repeat. Ids are compared byte by byte: Lua's own `>` follows the locale of
 * the Redis server.
 *
 * KEYS: stream, attempts, last, trail. ARGV: group, entry, node, sequenceId, effect.
 */
export const FINISH = `${IS_NEWER}local stream, attempts, last, trail = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, id, node, sequenceId, effect = unpack(ARGV)
local isNew = isNewer(sequenceId, redis.call('HGET', last, node) or '')
if isNew then
  redis.call('HSET', last, node, sequenceId)
  redis.call('RPUSH', trail, effect)
end
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
return isNew and 1 or 0
`;
