import { createHash } from 'node:crypto';
import type { OutboxEvent } from '../workflows/domain/node/outbox';
import { IS_NEWER } from './is-newer';
import { fieldNames, fieldTexts, type EntryNames } from './entry';
import type { Appended, Batch, Publisher } from './publisher';
import { OtherPartitions } from './open-partition';
import { COUNT_FIELD, publishedKey } from './partitions';
import { createReplicated, type ReplicaWaiter } from './replicated';

/** The commands that publishing needs of a Redis client, which is one connection. */
export interface ScriptRunner extends ReplicaWaiter {
  readonly eval: (script: string, options: ScriptOptions) => Promise<unknown>;
  readonly evalSha: (sha1: string, options: ScriptOptions) => Promise<unknown>;
}
interface ScriptOptions {
  readonly keys: string[];
  readonly arguments: string[];
}

export interface StreamSettings extends EntryNames {
  /** The partition's own name. */
  readonly stream: string;
  /** How many partitions the stream has; one where it is absent. */
  readonly partitions?: number;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  /** How many replicas must have an event before it counts as published; none where it is absent. */
  readonly replicasRequired?: number;
}

/**
 * One call, one script: what is newer than the node's last id is appended, and the last id kept, in one step. So a retry,
 * a second worker and a late call that its client gave up on add nothing twice, and nothing out of order. Ids are compared
 * byte by byte: Lua's own `>` follows the locale of the Redis server, where CH may stand behind H.
 *
 * The last id is written also where nothing is added: WAIT covers what its own connection wrote, and a retry must wait for
 * the replicas that an earlier try did not reach.
 *
 * A partition that is closed, because the count of partitions changed, takes nothing from those who still have the old count.
 *
 * Answers the node's newest id in the stream, and how many events were added.
 *
 * KEYS: the stream; the hash of each node's last id, under the same hash tag when the stream's name has one.
 * ARGV: node, length, count of partitions, count of an entry's fields, their names, then the fields of each event.
 */
const APPEND_NEWER = `${IS_NEWER}local node, length, partitions, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local names = { unpack(ARGV, 5, 4 + count) }
local open = redis.call('HGET', KEYS[2], '${COUNT_FIELD}') or (partitions == '1' and '1' or 'none')
if open ~= partitions then
  return redis.error_reply('PARTITIONS ' .. open)
end
local last = redis.call('HGET', KEYS[2], node) or ''
local newest, added = last, 0
for at = 5 + count, #ARGV, count do
  local entry, id = length == '0' and { KEYS[1], '*' } or { KEYS[1], 'MAXLEN', '~', length, '*' }, ''
  for index, name in ipairs(names) do
    local text = ARGV[at + index - 1]
    entry[#entry + 1], entry[#entry + 2] = name, text
    if name == 'sequenceId' then id = text end
  end
  if isNewer(id, newest) then
    redis.call('XADD', unpack(entry))
    newest, added = id, added + 1
  end
end
if newest ~= '' then
  redis.call('HSET', KEYS[2], node, newest)
end
return { newest, added }
`;
const SHA1 = createHash('sha1').update(APPEND_NEWER).digest('hex');

/** Publishes to a Redis stream, an entry an event, all fields text (docs/events.md). */
export const createStreamPublisher = (
  redis: ScriptRunner,
  { stream, partitions = 1, maxLength, attributePrefix, bandThresholdName, replicasRequired = 0 }: StreamSettings,
): Publisher => {
  const names = fieldNames(attributePrefix);
  const replicated = createReplicated(redis, replicasRequired);
  return {
    append: async ({ nodeId, events }: Batch) => {
      const options = {
        keys: [stream, publishedKey(stream)],
        arguments: [
          nodeId,
          String(maxLength),
          String(partitions),
          String(names.length),
          ...names,
          ...events.flatMap((event) => fieldTexts(nodeId, event, { attributePrefix, bandThresholdName })),
        ],
      };
      const answer = await redis
        .evalSha(SHA1, options)
        .catch((error: unknown) => {
          if (!isNotLoaded(error)) throw error;
          return redis.eval(APPEND_NEWER, options);
        })
        .catch((error: unknown) => {
          throw refusalOf(error, partitions);
        });
      const appended = takenIn(answer, events);
      await replicated();
      return appended;
    },
  };
};

/** What the script answers, once it has taken all of `events`. Ids are ASCII, so that `<` compares their bytes. */
const takenIn = (answer: unknown, events: ReadonlyArray<OutboxEvent>): Appended => {
  const parts: ReadonlyArray<unknown> = Array.isArray(answer) ? answer : [];
  const [newest, added] = parts;
  if (typeof newest !== 'string' || typeof added !== 'number')
    throw new Error(`the script that appends answered ${JSON.stringify(answer)}`);
  const last = events.at(-1)?.sequenceId ?? '';
  if (newest < last) throw new Error(`the stream did not take ${last}: the newest event of its node is ${newest}`);
  return { newest, added };
};

const isNotLoaded = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');

/** The partition was never opened for the count of partitions that this process is set to. */
export class UnopenedPartition extends Error {}

const refusalOf = (error: unknown, partitions: number): unknown => {
  const [, count] = (error instanceof Error ? /^PARTITIONS (.*)$/u.exec(error.message) : null) ?? [];
  if (count === undefined) return error;
  return count === 'none' ? new UnopenedPartition() : new OtherPartitions(count, partitions);
};
