import { inPairs, type EntryFields } from '../entry';
import type { Consumer } from './consumer';
import type { PendingEntry } from './group';
import { FIELD, UNREPORTED, WAITING } from './scripts';

type Turn =
  | { readonly kind: 'wait' | 'taken' | 'lost' }
  /** `last`: sequenceId of the node's last handled event, or empty. `tries` includes this try; a failed try counts as three. */
  | { readonly kind: 'go'; readonly fields: EntryFields; readonly last: string; readonly tries: number };

export const beginTry = async (
  { commands, stream, group, keyPrefix, consumer }: Consumer,
  { id, node }: PendingEntry,
  isAgain: boolean,
): Promise<Turn> => {
  const answer: unknown = await commands.client.eval(BEGIN_TRY, {
    keys: [stream, `${keyPrefix}:waiting`, `${keyPrefix}:attempts`, `${keyPrefix}:last`, `${keyPrefix}:unreported`],
    arguments: [group, consumer, id, node, isAgain ? '0' : '1'],
  });
  const [kind, texts = [], last = '', tries = 0] = answer as readonly [Turn['kind'], string[]?, string?, number?];
  return kind === 'go' ? { kind, fields: inPairs(texts), last, tries } : { kind };
};

/**
 * Answers whether an entry may be handled now, and counts its tries.
 *
 * 'taken': another consumer has claimed the entry, or it is done. 'wait': an earlier entry of the same node is pending. 'lost':
 * the entry was trimmed; the script acknowledges it and stores a gap. 'go': the entry may be handled. Then its fields, the
 * node's last sequenceId and the number of tries follow.
 *
 * KEYS: stream, waiting, attempts, last, unreported. ARGV: group, consumer, entry, node, '1' if this try counts, else '0'.
 */
const BEGIN_TRY = `${FIELD}${WAITING}${UNREPORTED}local stream, attempts, last = KEYS[1], KEYS[3], KEYS[4]
local group, consumer, id, node, try = unpack(ARGV)
local own = redis.call('XPENDING', stream, group, id, id, 1)
if #own == 0 or own[1][2] ~= consumer then return { 'taken' } end
local first = firstOf(node)
while first and place(idIn(first)) < place(id) do
  local earlier = idIn(first)
  if #redis.call('XPENDING', stream, group, earlier, earlier, 1) > 0 then return { 'wait' } end
  redis.call('ZREM', waiting, first) -- somebody else acknowledged it
  first = firstOf(node)
end
local entry = redis.call('XRANGE', stream, id, id)[1]
if not entry then
  lose(id, id, 1, consumer)
  redis.call('XACK', stream, group, id)
  redis.call('HDEL', attempts, id)
  leave(node, id)
  return { 'lost' }
end
return { 'go', entry[2], redis.call('HGET', last, node) or '', redis.call('HINCRBY', attempts, id, try) }
`;
