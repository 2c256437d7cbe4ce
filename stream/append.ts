import { createHash } from 'node:crypto';
import type { Registry } from 'prom-client';
import { counter, histogram } from '../process/metrics';
import type { SharedSettings } from '../process/settings';
import { isFirstOfLife } from '../workflows/domain/node/event-id';
import type { OutboxEvent } from '../workflows/domain/node/outbox';
import { fieldNames, fieldTexts, type EntryNames } from './entry';

/** Events of one node, oldest first. */
export interface Batch {
  readonly nodeId: string;
  readonly events: ReadonlyArray<OutboxEvent>;
}

/** What the stream has after a publication. */
export interface Appended {
  /** The id of the node's newest event in the stream. */
  readonly newest: string;
  /**
   * Whether all of the batch is known to be there. It is not where a batch of the first events that a node ever made meets a newer
   * id: that may be of an earlier life of the node, which then gives its events other ids (`publication.ts`).
   */
  readonly isOut: boolean;
  /** How many events this publication appended: the last ones of its batch. The others were in the stream before. */
  readonly added: number;
}

/** Where events go. Adapter: a Redis stream. */
export interface Publisher {
  /**
   * Appends the events of `batch` that are newer than the newest one of its node, in order and all together. A repeat does
   * no harm. Rejects when the outcome is not known; the stream may have all of `batch` all the same.
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
 * No id of a node lies between those of its first events. One that does is of an earlier life of the node: nothing is added then.
 *
 * KEYS: the stream; the hash of each node's last id, under the same hash tag when the stream's name has one.
 * ARGV: node, length, whether the batch begins with the node's first event, count of an entry's fields, their names, then the
 * fields of each event.
 */
const APPEND_NEWER = `${IS_NEWER}local node, length, isFirst, count = ARGV[1], ARGV[2], ARGV[3] == '1', tonumber(ARGV[4])
local names = { unpack(ARGV, 5, 4 + count) }
local last = redis.call('HGET', KEYS[2], node) or ''
local newest, added = last, 0
if isFirst and last ~= '' then
  local place = 0
  while names[place] ~= 'sequenceId' do place = place + 1 end
  local isForeign = isNewer(last, ARGV[4 + count + place])
  for at = 4 + count + place, #ARGV, count do
    if ARGV[at] == last then isForeign = false end
  end
  if isForeign then return { last, 0 } end
end
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
      const isFirst = events[0] !== undefined && isFirstOfLife(nodeId, events[0]);
      const replicated = replications.get(client) ?? createReplicated(client, replicasRequired);
      replications.set(client, replicated);
      const options = {
        keys: [stream, publishedKey(stream)],
        arguments: [
          ...[nodeId, String(maxLength), isFirst ? '1' : '0', String(names.length), ...names],
          ...events.flatMap((event) => fieldTexts(nodeId, event, { attributePrefix, bandThresholdName })),
        ],
      };
      const answer = await client.evalSha(SHA1, options).catch((error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return client.eval(APPEND_NEWER, options);
        throw error;
      });
      const appended = takenIn(answer, events, isFirst);
      await replicated();
      return appended;
    },
  };
};

/** What the script answers to `events`. Ids are ASCII, so that `<` compares their bytes. */
const takenIn = (answer: unknown, events: ReadonlyArray<OutboxEvent>, isFirst: boolean): Appended => {
  const [newest, added] = Array.isArray(answer) ? (answer as ReadonlyArray<unknown>) : [];
  if (typeof newest !== 'string' || typeof added !== 'number')
    throw new Error(`the script that appends answered ${JSON.stringify(answer)}`);
  const [first = '', last = ''] = [events[0]?.sequenceId, events.at(-1)?.sequenceId];
  const isOut = isFirst ? newest === last : newest >= last;
  if (!isOut && !(isFirst && newest > first))
    throw new Error(`the stream did not take ${last}: the newest event of its node is ${newest}`);
  return { newest, added, isOut };
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
