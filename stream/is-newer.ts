/** Lua for scripts of Redis: whether `id` is newer than `other`, byte by byte. Lua's own `>` follows the locale of the server. */
export const IS_NEWER = `
local function isNewer(id, other)
  for at = 1, math.min(#id, #other) do
    local byte, otherByte = string.byte(id, at), string.byte(other, at)
    if byte ~= otherByte then return byte > otherByte end
  end
  return #id > #other
end
`;
