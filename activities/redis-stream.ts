import { createHash } from 'node:crypto';
import type { OutboxEvent } from '../workflows/domain/node/outbox';
import type { Batch } from './publish-events';
import type { Publisher } from './publisher';

/** The commands that publishing needs of a Redis client. */
export interface ScriptRunner {
  readonly eval: (script: string, options: ScriptOptions) => Promise<unknown>;
  readonly evalSha: (sha1: string, options: ScriptOptions) => Promise<unknown>;
}
interface ScriptOptions {
  readonly keys: string[];
  readonly arguments: string[];
}

export interface StreamSettings {
  readonly stream: string;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  /** The prefix of the two attributes' names. */
  readonly attributePrefix: string;
}

/**
 * One call, one script: what is newer than the node's last id is appended, and the last id kept, in one step. So a retry,
 * a second worker and a late call that its client gave up on add nothing twice, and nothing out of order.
 *
 * KEYS: the stream; the hash of each node's last id, under the same hash tag when the stream's name has one.
 * ARGV: node, length, prefix, then for each event sequenceId, timestamp, type, data, userId.
 */
const APPEND_NEWER = `
local node, length, prefix = ARGV[1], ARGV[2], ARGV[3]
local last = redis.call('HGET', KEYS[2], node) or ''
local newest = last
for at = 4, #ARGV, 5 do
  local id, timestamp, type, data, user = unpack(ARGV, at, at + 4)
  if id > newest then
    local entry = { KEYS[1] }
    if length ~= '0' then
      entry = { KEYS[1], 'MAXLEN', '~', length }
    end
    local fields = { '*', prefix .. '.EventType', type, prefix .. '.Aggregate', node, 'aggregateId', node,
      'sequenceId', id, 'timestamp', timestamp, 'type', type, 'data', data, 'userId', user }
    for _, field in ipairs(fields) do
      entry[#entry + 1] = field
    end
    redis.call('XADD', unpack(entry))
    newest = id
  end
end
if newest ~= last then
  redis.call('HSET', KEYS[2], node, newest)
end
return newest
`;
const SHA1 = createHash('sha1').update(APPEND_NEWER).digest('hex');

/** The hash that keeps each node's last published id. */
export const publishedKey = (stream: string): string => `${stream}:published`;

/** Publishes to a Redis stream, an entry an event, all fields text (docs/events.md). */
export const createStreamPublisher = (
  redis: ScriptRunner,
  { stream, maxLength, attributePrefix }: StreamSettings,
): Publisher => ({
  append: async ({ nodeId, events }: Batch) => {
    const options = {
      keys: [stream, publishedKey(stream)],
      arguments: [nodeId, String(maxLength), attributePrefix, ...events.flatMap(fieldsOf)],
    };
    try {
      await redis.evalSha(SHA1, options);
    } catch (error) {
      if (!isNotLoaded(error)) throw error;
      await redis.eval(APPEND_NEWER, options);
    }
  },
});

const fieldsOf = ({ sequenceId, timestamp, type, data, userId }: OutboxEvent): ReadonlyArray<string> => [
  sequenceId,
  String(timestamp),
  type,
  JSON.stringify(data),
  userId,
];

const isNotLoaded = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');
