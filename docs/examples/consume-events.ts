import { consumeEvents, streamSettings } from '../../stream/consumer'; // in your copy: 'point-alarm-service/consumer'

/**
 * An example consumer to copy. Run `node --import tsx docs/examples/consume-events.ts` in as many processes as you want. It
 * adds each event to the Redis list `<stream>:<group>:trail`. In your copy, `handle` returns another effect, or acts itself.
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
}).then(() => process.exit()); // even if a connection keeps the process alive
