import { createHash } from 'node:crypto';
import type { Registry } from 'prom-client';
import { counter, histogram } from '../process/metrics';
import type { SharedSettings } from '../process/settings';
import { shareNextRun } from '../process/share-next-run';
import { isFirstOfLife } from '../workflows/domain/node/event-id';
import type { OutboxEvent } from '../workflows/domain/node/outbox';
import { fieldNames, fieldTexts, type EntryNames } from './entry';

/** Events of one node, oldest first. */
export interface NodeEvents {
  readonly nodeId: string;
  readonly events: ReadonlyArray<OutboxEvent>;
}

export interface Appended {
  /** The id of the node's newest event in the stream. */
  readonly newest: string;
  /**
   * Whether the whole batch is known to be in the stream. It is not known if the batch begins with the node's first event, but
   * the node's newest event in the stream is newer and not of the batch. A terminated workflow of the same node may have
   * published that event. The node then gives its events new ids and publishes them again (`publication.ts`).
   */
  readonly isPublished: boolean;
  /** How many events this call appended: the newest ones of its batch. The older ones were in the stream before. */
  readonly added: number;
}

/** The port through which events leave the service. Its adapter is a Redis stream. */
export interface Publisher {
  /**
   * Appends those events of `batch` that are newer than the node's newest event in the stream, in order and in one atomic step.
   * A repeated call adds nothing. If it rejects, the outcome is unknown: the whole batch may be in the stream.
   */
  readonly append: (batch: NodeEvents) => Promise<Appended>;
}

/** The Redis commands that publishing uses. One client is one connection. */
export interface ScriptRunner {
  readonly eval: RunScript;
  readonly evalSha: RunScript;
  /** WAIT: returns how many replicas have this connection's writes, once `replicas` have them or after `timeoutMs`. */
  readonly wait: (replicas: number, timeoutMs: number) => Promise<number>;
}
type RunScript = (script: string, options: { keys: string[]; arguments: string[] }) => Promise<unknown>;

export interface StreamSettings extends EntryNames {
  readonly stream: string;
  /** About how many entries the stream keeps (`MAXLEN ~`); 0 keeps all of them. */
  readonly maxLength: number;
  /** How many replicas must have an event before it counts as published. */
  readonly replicasRequired: number;
}

/** Picks those settings of a process that publishers and followers of the stream need. */
export const eventsOf = (settings: SharedSettings): StreamSettings => ({
  stream: settings.EVENT_STREAM,
  maxLength: settings.EVENT_STREAM_MAXLEN,
  attributePrefix: settings.EVENT_ATTRIBUTE_PREFIX,
  bandThresholdName: settings.BAND_THRESHOLD_NAME,
  replicasRequired: settings.REDIS_REPLICAS_REQUIRED,
});

export const publishedKey = (stream: string): string => `${stream}:published`;

/** Lua: compares ids by their bytes, because Lua's own `>` follows Redis' locale, and some locales sort CH after H. */
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
 * Appends the events that are newer than the node's last id (the `sequenceId` of its newest event in the stream) and stores the
 * new last id, in one atomic step. So a retry, a second worker or a late call adds no event twice or out of order. The last id
 * is written even if no event was added: WAIT covers only writes of its own connection, and another one may have added the
 * events. Answers the last id, and how many events were added.
 *
 * If the batch begins with the node's first event, but the last id is newer and not an id of the batch, nothing is added: a
 * terminated workflow of the same node may have left the last id.
 *
 * KEYS: the stream; the hash of each node's last id, under the same hash tag if the stream's name has one.
 * ARGV: node, MAXLEN, '1' if the batch begins with the node's first event, number of fields of an entry, their names, then the
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

/** Publishes to a Redis stream over the current connection of `redis`: one entry per event, all fields text (docs/events.md). */
export const createPublisher = (
  redis: { readonly client: ScriptRunner },
  { stream, maxLength, attributePrefix, bandThresholdName, replicasRequired }: StreamSettings,
): Publisher => {
  const names = fieldNames(attributePrefix);
  const replications = new WeakMap<ScriptRunner, () => Promise<void>>();
  return {
    append: async ({ nodeId, events }) => {
      const { client } = redis;
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

/** Reads the script's answer to a call with `events`. Ids are ASCII, so JavaScript's `>` compares their bytes, too. */
const takenIn = (answer: unknown, events: ReadonlyArray<OutboxEvent>, isFirst: boolean): Appended => {
  const [newest, added] = Array.isArray(answer) ? (answer as ReadonlyArray<unknown>) : [];
  if (typeof newest !== 'string' || typeof added !== 'number')
    throw new Error(`the script that appends answered ${JSON.stringify(answer)}`);
  const [first = '', last = ''] = [events[0]?.sequenceId, events.at(-1)?.sequenceId];
  const isPublished = isFirst ? newest === last : newest >= last;
  if (!isPublished && !(isFirst && newest > first))
    throw new Error(`the stream did not take ${last}: the newest event of its node is ${newest}`);
  return { newest, added, isPublished };
};

/** A connection runs nothing else during WAIT, not even pings. So a WAIT is short (ms), and repeated up to `WAITS` times. */
const WAIT_MS = 50;
const WAITS = 10;

/**
 * Makes a function that resolves once `required` replicas have all earlier writes of this connection, and that rejects after
 * half a second. One WAIT covers every write before it, so calls that come while WAITs are in flight share the next ones.
 */
const createReplicated = (redis: ScriptRunner, required: number): (() => Promise<void>) => {
  const untilReplicated = async (): Promise<void> => {
    let replicas = 0;
    for (let tries = 0; tries < WAITS && replicas < required; tries += 1)
      replicas = await redis.wait(required, WAIT_MS);
    if (replicas < required) throw new Error(`${replicas} of ${required} replicas have the events`);
  };
  return required === 0 ? () => Promise.resolve() : shareNextRun(untilReplicated);
};

/**
 * Counts the events that `publisher` appends, and measures the time from their commit to the stream's answer. An event that was
 * in the stream already is not counted. The commit's time is the timestamp of its workflow task. If the clocks of Temporal and
 * of this process differ, the measured time is wrong by the difference, but never below 0.
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
