import { createHash } from 'node:crypto';
import type { Registry } from 'prom-client';
import { counter, histogram } from '../process/metrics';
import type { SharedSettings } from '../process/settings';
import type { OutboxEvent } from '../workflows/domain/node/outbox';
import { fieldNames, fieldTexts, type EntryNames } from './entry';

/** Events of one node, oldest first. */
export interface Batch {
  readonly nodeId: string;
  readonly events: ReadonlyArray<OutboxEvent>;
}

/** What the stream has after a publication. */
export interface Appended {
  /** The id of the node's newest event in the stream: the batch's last, or a later one that another publisher appended. */
  readonly newest: string;
  /** How many events this publication appended: the last ones of its batch. The others were in the stream before. */
  readonly added: number;
}

/** Where events go. Adapter: a Redis stream. */
export interface Publisher {
  /**
   * Appends the events of `batch` that are newer than the newest one of its node, in order and all together. A repeat does
   * no harm. Rejects when the stream is not known to have all of `batch`; it may have them all the same.
   */
  readonly append: (batch: Batch) => Promise<Appended>;
}

/** The commands that publishing needs of a Redis client, which is one connection. */
export interface ScriptRunner {
  readonly eval: RunScript;
  readonly evalSha: RunScript;
  /** How many replicas have what this connection wrote, once they are as many or the time (ms) has passed. */
  readonly wait: (replicas: number, timeoutMs: number) => Promise<number>;
}
type RunScript = (script: string, options: { keys: string[]; arguments: string[] }) => Promise<unknown>;

export interface StreamSettings extends EntryNames {
  readonly stream: string;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  /** How many replicas must have an event before it counts as published. */
  readonly replicasRequired: number;
}

/** The settings of a process that publishers and followers of the stream take. */
export const eventsOf = (settings: SharedSettings): StreamSettings => ({
  stream: settings.EVENT_STREAM,
  maxLength: settings.EVENT_STREAM_MAXLEN,
  attributePrefix: settings.EVENT_ATTRIBUTE_PREFIX,
  bandThresholdName: settings.BAND_THRESHOLD_NAME,
  replicasRequired: settings.REDIS_REPLICAS_REQUIRED,
});

export const publishedKey = (stream: string): string => `${stream}:published`;

/** Lua for scripts of Redis: whether `id` is newer than `other`, byte by byte. Lua's own `>` follows the locale of the server, where CH may stand behind H. */
export const IS_NEWER = `
local function isNewer(id, other)
  for at = 1, math.min(#id, #other) do
    local byte, otherByte = string.byte(id, at), string.byte(other, at)
    if byte ~= otherByte then return byte > otherByte end
  end
  return #id > #other
end
`;

/**
 * Appends what is newer than the node's last id, and keeps the last id, in one step: a retry, a second worker and a late call add
 * nothing twice, and nothing out of order. The last id is written also where nothing is added: WAIT covers what its own connection
 * wrote. Answers the node's newest id in the stream, and how many events were added.
 *
 * KEYS: the stream; the hash of each node's last id, under the same hash tag when the stream's name has one.
 * ARGV: node, length, count of an entry's fields, their names, then the fields of each event.
 */
const APPEND_NEWER = `${IS_NEWER}local node, length, count = ARGV[1], ARGV[2], tonumber(ARGV[3])
local names = { unpack(ARGV, 4, 3 + count) }
local last = redis.call('HGET', KEYS[2], node) or ''
local newest, added = last, 0
for at = 4 + count, #ARGV, count do
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

/** Publishes to a Redis stream by the connection that `link` has at the time: an entry an event, all fields text (docs/events.md). */
export const createPublisher = (
  link: { readonly client: ScriptRunner },
  { stream, maxLength, attributePrefix, bandThresholdName, replicasRequired }: StreamSettings,
): Publisher => {
  const names = fieldNames(attributePrefix);
  const replications = new WeakMap<ScriptRunner, () => Promise<void>>();
  return {
    append: async ({ nodeId, events }) => {
      const { client } = link;
      const replicated = replications.get(client) ?? createReplicated(client, replicasRequired);
      replications.set(client, replicated);
      const options = {
        keys: [stream, publishedKey(stream)],
        arguments: [
          ...[nodeId, String(maxLength), String(names.length), ...names],
          ...events.flatMap((event) => fieldTexts(nodeId, event, { attributePrefix, bandThresholdName })),
        ],
      };
      const answer = await client.evalSha(SHA1, options).catch((error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return client.eval(APPEND_NEWER, options);
        throw error;
      });
      const appended = takenIn(answer, events);
      await replicated();
      return appended;
    },
  };
};

/** What the script answers, once it has taken all of `events`. Ids are ASCII, so that `<` compares their bytes. */
const takenIn = (answer: unknown, events: ReadonlyArray<OutboxEvent>): Appended => {
  const [newest, added] = Array.isArray(answer) ? (answer as ReadonlyArray<unknown>) : [];
  if (typeof newest !== 'string' || typeof added !== 'number')
    throw new Error(`the script that appends answered ${JSON.stringify(answer)}`);
  const last = events.at(-1)?.sequenceId ?? '';
  if (newest < last) throw new Error(`the stream did not take ${last}: the newest event of its node is ${newest}`);
  return { newest, added };
};

/** A WAIT holds up all that follows it on its connection, pings and publish intents too: hence short ones (ms), repeated. */
const WAIT_MS = 50;
const WAITS = 10;

/**
 * Resolves once `required` replicas have all that this connection wrote before the call, rejects after half a second. One WAIT
 * covers every write before it, so calls that come while one is in flight share the next one.
 */
const createReplicated = (redis: ScriptRunner, required: number): (() => Promise<void>) => {
  const untilReplicated = async (): Promise<void> => {
    let replicas = 0;
    for (let tries = 0; tries < WAITS && replicas < required; tries += 1)
      replicas = await redis.wait(required, WAIT_MS);
    if (replicas < required) throw new Error(`${replicas} of ${required} replicas have the events`);
  };
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return async () => {
    if (required === 0) return;
    next ??= current.then(() => {
      next = undefined;
      const begun = untilReplicated();
      current = begun.catch(() => undefined);
      return begun;
    });
    await next;
  };
};

/**
 * Counts what `publisher` brings to the stream, and how late. Only the publication that appends an event counts it. Its age counts
 * from the workflow task that committed it, so clocks that differ from Temporal's server show in it; never below 0.
 */
export const measurePublisher = (publisher: Publisher, registry: Registry): Publisher => {
  const published = counter(registry, 'point_alarm_events_published_total');
  const lag = histogram(registry, 'point_alarm_publish_lag_seconds');
  const failures = counter(registry, 'point_alarm_publish_failures_total');
  return {
    append: async (batch) => {
      const appended = await publisher.append(batch).catch((error: unknown) => {
        failures(1);
        throw error;
      });
      for (const { type, timestamp } of batch.events.slice(batch.events.length - appended.added)) {
        published(1, { type });
        lag(Math.max(0, Date.now() - timestamp) / 1_000);
      }
      return appended;
    },
  };
};
