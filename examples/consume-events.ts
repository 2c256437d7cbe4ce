import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { cliSettings, orExit } from '../process/settings';
import { partitionStreams } from '../stream/partitions';
import { consumeEvents } from './event-consumer';

/**
 * A consumer of the event stream that may be copied: `node --import tsx examples/consume-events.ts`, as often as wanted.
 *
 * It is set as the service is: REDIS_*, EVENT_STREAM and EVENT_STREAM_PARTITIONS. Each process reads all partitions.
 *
 * It keeps a line for each event in the Redis list `<group>:trail`; replace `handle`, and the effect in FINISH, by yours.
 */
const main = async (): Promise<void> => {
  const { CONSUMER_GROUP: group = 'trail', CLAIM_AFTER_MS } = process.env;
  const { redis, ...settings } = orExit('consumer', cliSettings(process.env));
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      stopping.abort();
    });
  }
  const { partitions } = settings;
  await Promise.all(
    partitionStreams(settings).map((stream, index) =>
      consumeEvents({
        redis,
        stream,
        group,
        keep: partitions === 1 ? group : `${group}:{${partitions}.${index}}`,
        consumer: `${hostname()}-${randomUUID()}`,
        claimAfterMs: Number(CLAIM_AFTER_MS ?? 30_000),
        handle: (event) => Promise.resolve(JSON.stringify(event)),
        onHandled: ({ aggregateId, sequenceId, type }) => {
          console.log(`${aggregateId} ${sequenceId} ${type}`);
        },
        report: (line) => {
          console.error(line);
        },
        signal: stopping.signal,
      }),
    ),
  );
};

void main();
