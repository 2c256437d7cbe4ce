/** Lua: the value of `name` in a list in which names and values alternate. */
export const FIELD = `
local function field(list, name)
  for at = 1, #list, 2 do
    if list[at] == name then return list[at + 1] end
  end
end
`;

/**
 * Lua, to be put after `FIELD`: functions for the sorted set KEYS[2]. It holds the entries that were delivered and are not
 * done, by node and then in stream order. So a script finds a node's first entry without a look at all pending entries.
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
 * Lua: `lose` stores a gap in the sorted set that is the script's last key: its two ends, its number of entries, and the
 * consumer that has to report it. It stays there until it is reported, even if the script's answer or the consumer is lost.
 */
export const UNREPORTED = `
local unreported = KEYS[#KEYS]
local function lose(from, to, entries, consumer)
  redis.call('ZADD', unreported, 0, table.concat({ from, to, entries, consumer }, ' '))
end
`;
