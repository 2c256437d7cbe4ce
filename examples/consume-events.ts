import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { consumeEvents } from './event-consumer';

/**
 * A consumer of the event stream that may be copied: `node --import tsx examples/consume-events.ts`, as often as wanted.
 *
 * It keeps a line for each event in the Redis list `<group>:trail`; replace `handle`, and the effect in FINISH, by yours.
 */
const main = async (): Promise<void> => {
  const { REDIS_URL, EVENT_STREAM, CONSUMER_GROUP, CLAIM_AFTER_MS } = process.env;
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      stopping.abort();
    });
  }
  await consumeEvents({
    url: REDIS_URL ?? 'redis://127.0.0.1:6379',
    stream: EVENT_STREAM ?? 'point-alarm-events',
    group: CONSUMER_GROUP ?? 'trail',
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
  });
};

void main();
