import type { Registry } from 'prom-client';
import { counter, histogram } from '../process/metrics';
import type { Publisher } from './append';

/**
 * Counts what `publisher` brings to the stream, and how late. A node's unconfirmed events go out with each batch until they
 * are confirmed; only the publication that appends an event counts it. An event's age counts from the workflow task that committed it,
 * so clocks that differ between Temporal's server and this machine show in it; never below 0.
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
        lag(secondsSince(timestamp));
      }
      return appended;
    },
  };
};

const secondsSince = (epochMs: number): number => Math.max(0, Date.now() - epochMs) / 1_000;
