import { consumeEvents, streamSettings } from '../../stream/consumer'; // 'point-alarm-service/consumer'

/**
 * A consumer that may be copied: `node --import tsx docs/examples/consume-events.ts`, as often as wanted. It keeps a line for each
 * event in the Redis list `<stream>:<group>:trail`; answer another effect, or act, in `handle`.
 */
const stopping = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort());

void consumeEvents({
  ...streamSettings(process.env),
  group: process.env['CONSUMER_GROUP'] ?? 'trail',
  claimAfterMs: Number(process.env['CLAIM_AFTER_MS'] ?? 30_000),
  handle: (event) => ({ trail: JSON.stringify(event) }),
  onHandled: ({ aggregateId, sequenceId, type }) => {
    console.log(`${aggregateId} ${sequenceId} ${type}`);
  },
  onGap: ({ from, to }) => {
    console.error(`entries between ${from} and ${to} were missed`);
  },
  report: console.error,
  signal: stopping.signal,
}).then(() => process.exit()); // whatever hangs
