import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import { pause } from '../process/backoff';
import { createLog } from '../process/log';
import type { RedisSettings } from '../process/settings';
import { connectStream, type StreamLinks } from '../stream/connection';
import { COUNT_FIELD, partitionStreams, publishedKey } from '../stream/partitions';
import type { StreamEvent } from '../workflows/domain/events/event';
import { consumePartition, type PartitionConsumer } from './consume-partition';
import { countOutcomes } from './consumer-metrics';
import type { Handle } from './effect';
import { lagOf } from './group-entries';
import { isKeyPart, keepOf } from './keep';

/** A consumer of the stream: what it reads, and what it does with each event. */
export interface ConsumerOptions {
  readonly redis: RedisSettings;
  readonly stream: string;
  readonly partitions: number;
  /** Consumers of one group share the events; each group gets all of them. */
  readonly group: string;
  readonly handle: Handle;
  /** Called once for each event whose effect was kept, in this process. */
  readonly onHandled?: (event: StreamEvent) => void;
  /** Ends it after the entries in hand, within five seconds. */
  readonly signal: AbortSignal;
  /** Where a new group begins: with the oldest entry, the default, or with what comes next. */
  readonly begin?: 'oldest' | 'now';
  /** Time (ms) after which a silent consumer counts as dead, 30 s by default: longer than an event may take. */
  readonly claimAfterMs?: number;
  /** Receives a line about what is not as it should be. */
  readonly report?: (line: string) => void;
  /** Gets the lag of the group and what becomes of events. */
  readonly registry?: Registry;
}

const CLAIM_AFTER_MS = 30_000;
const PAUSE_MS = 500;

/**
 * Handles each event of the stream as one of the group's consumers, until its signal aborts (docs/events.md, "Consuming"). It
 * reads all partitions, from one server, by sentinels or in a cluster, and goes on across outages of Redis.
 *
 * Start as many processes of a group as you like: each event has its effect once, those of a node in order, and what a dead
 * consumer had is taken over. An event that cannot be handled goes to the stream `<keep>:aside`.
 *
 * Errors: a group's name has no colon.
 */
export const consumeEvents = async (options: ConsumerOptions): Promise<void> => {
  const { redis, stream, partitions, group, report = () => undefined, signal } = options;
  if (!isKeyPart(group)) throw new Error(`the group ${group} must have no colon in its name`);
  const connect = (): StreamLinks =>
    connectStream({ ...redis, stream, partitions, log: createLog({ level: 'silent', process: group }), name: group });
  const [commands, readers] = [connect(), connect()];
  const consumers = partitionStreams(options).map((partition, at): PartitionConsumer => ({
    stream: partition,
    group,
    keep: keepOf(partition, group),
    begin: options.begin ?? 'oldest',
    consumer: `${hostname()}-${randomUUID()}`,
    claimAfterMs: options.claimAfterMs ?? CLAIM_AFTER_MS,
    commands: commands.links[at] ?? commands.root,
    reader: readers.links[at] ?? readers.root,
    handle: options.handle,
    onHandled: options.onHandled ?? (() => undefined),
    report,
    count: (outcome) => {
      count(outcome);
    },
    signal,
  }));
  const count =
    options.registry === undefined
      ? () => undefined
      : countOutcomes(options.registry, async () => new Map(await Promise.all(consumers.map(lagByStream))));
  try {
    void reportOtherPartitions(commands, options);
    await Promise.all(consumers.map(consumePartition));
  } finally {
    await Promise.all([commands.close(), readers.close()]);
  }
};

const lagByStream = async (consumer: PartitionConsumer): Promise<readonly [string, number | undefined]> => [
  consumer.stream,
  await lagOf(consumer.commands, consumer).catch(() => undefined),
];

/** One that reads the partitions of before is right while it reads them to their end, and wrong for ever after. */
const reportOtherPartitions = async (
  { root, answers }: StreamLinks,
  { stream, partitions, signal, report }: ConsumerOptions,
): Promise<void> => {
  while (!(await answers())) {
    if (signal.aborted) return;
    await pause(PAUSE_MS, signal);
  }
  const count = await root.client.hGet(publishedKey(stream), COUNT_FIELD).catch(() => undefined);
  if (typeof count === 'string' && count !== String(partitions))
    report?.(`the stream ${stream} has ${count} partitions now; this consumer reads what is left in ${partitions}`);
};
