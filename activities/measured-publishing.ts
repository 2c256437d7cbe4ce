import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Batch, PublishActivities } from './publish-events';
import type { Publisher } from './publisher';

/**
 * Counts what `publisher` brings to the stream, and how late. An event's age counts from the workflow task that committed it,
 * so clocks that differ between Temporal's server and this machine show in it; never below 0.
 */
export const measurePublisher = (publisher: Publisher, registry: Registry): Publisher => {
  const registers = [registry];
  const published = new Counter({
    name: 'point_alarm_events_published_total',
    help: 'Events that the stream is known to have, by type; one that is published again after a lost answer counts again.',
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
      try {
        await publisher.append(batch);
      } catch (error) {
        failures.inc();
        throw error;
      }
      for (const { type, timestamp } of batch.events) {
        published.inc({ type });
        lag.observe(secondsSince(timestamp));
      }
    },
  };
};

/** Shows what the publications under way in this worker hold. */
export const measurePublications = ({ publishEvents }: PublishActivities, registry: Registry): PublishActivities => {
  const underWay = new Set<Batch>();
  showWaiting(underWay, registry);
  return {
    publishEvents: async (batch) => {
      underWay.add(batch);
      try {
        return await publishEvents(batch);
      } finally {
        underWay.delete(batch);
      }
    },
  };
};

const showWaiting = (underWay: ReadonlySet<Batch>, registry: Registry): void => {
  const registers = [registry];
  new Gauge({
    name: 'point_alarm_waiting_events',
    help: 'Events in publications under way in this worker. Nodes may hold more that were committed since.',
    registers,
    collect() {
      this.set([...underWay].reduce((sum, { events }) => sum + events.length, 0));
    },
  });
  new Gauge({
    name: 'point_alarm_oldest_waiting_event_age_seconds',
    help: 'Age of the oldest event in a publication under way in this worker; 0 where there is none.',
    registers,
    collect() {
      this.set(Math.max(0, ...[...underWay].map(({ events }) => secondsSince(events[0]?.timestamp ?? Date.now()))));
    },
  });
};

const secondsSince = (epochMs: number): number => Math.max(0, Date.now() - epochMs) / 1_000;
