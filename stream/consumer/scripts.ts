/** Lua for scripts of Redis: the text of `name` in a list of names and texts in turn. */
export const FIELD = `
local function field(list, name)
  for at = 1, #list, 2 do
    if list[at] == name then return list[at + 1] end
  end
end
`;

/**
 * Lua for scripts of Redis, after `FIELD`: the sorted set KEYS[2], which holds what is delivered and not done, by node and in the
 * order of the stream. So the turn of an entry is known without a look at all that is pending.
 */
export const WAITING = `
local waiting = KEYS[2]
-- The id as text that sorts as it does.
local function place(id)
  local ms, index = string.match(id, '^(%d+)%-(%d+)$')
  return string.rep('0', 20 - #ms) .. ms .. '-' .. string.rep('0', 20 - #index) .. index
end
local function wait(entry)
  local node = field(entry[2], 'aggregateId') or ''
  if node == '' then node = entry[1] end
  redis.call('ZADD', waiting, 0, node .. ' ' .. place(entry[1]))
  return { entry[1], node }
end
local function firstOf(node)
  return redis.call('ZRANGEBYLEX', waiting, '[' .. node .. ' ', '(' .. node .. '!', 'LIMIT', 0, 1)[1]
end
local function idIn(member)
  local ms, index = string.match(member, '(%d+)%-(%d+)$')
  return string.gsub(ms, '^0+(%d)', '%1') .. '-' .. string.gsub(index, '^0+(%d)', '%1')
end
local function leave(node, id)
  redis.call('ZREM', waiting, node .. ' ' .. place(id))
end
`;

/**
 * Lua for scripts of Redis: the last of their keys, a sorted set, holds the gaps that nobody was told of yet, each as its two ends,
 * the number of its entries and the consumer that is to tell. So none is lost with an answer, or with the process that got it.
 */
export const UNREPORTED = `
local unreported = KEYS[#KEYS]
local function lose(from, to, entries, consumer)
  redis.call('ZADD', unreported, 0, table.concat({ from, to, entries, consumer }, ' '))
end
`;
