import { Counter, Histogram, type Registry } from 'prom-client';
import type { Publisher } from './append';

/**
 * Counts what `publisher` brings to the stream, and how late. A node's unconfirmed events go out with each batch until they
 * are confirmed; only the publication that appends an event counts it. An event's age counts from the workflow task that committed it,
 * so clocks that differ between Temporal's server and this machine show in it; never below 0.
 */
export const measurePublisher = (publisher: Publisher, registry: Registry): Publisher => {
  const registers = [registry];
  const published = new Counter({
    name: 'point_alarm_events_published_total',
    help: 'Events that this process appended to the stream, by type; one that was there already, or whose answer was lost, is not counted.',
    labelNames: ['type'],
    registers,
  });
  const lag = new Histogram({
    name: 'point_alarm_publish_lag_seconds',
    help: "Time from an event's commit to the stream's answer.",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const failures = new Counter({
    name: 'point_alarm_publish_failures_total',
    help: 'Tries of a publication that failed; each is tried again.',
    registers,
  });
  return {
    append: async (batch) => {
      const appended = await publisher.append(batch).catch((error: unknown) => {
        failures.inc();
        throw error;
      });
      for (const { type, timestamp } of batch.events.slice(batch.events.length - appended.added)) {
        published.inc({ type });
        lag.observe(secondsSince(timestamp));
      }
      return appended;
    },
  };
};

const secondsSince = (epochMs: number): number => Math.max(0, Date.now() - epochMs) / 1_000;
