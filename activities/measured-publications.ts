import { Gauge, type Registry } from 'prom-client';
import type { Batch } from '../stream/publisher';
import type { PublishActivities } from './publish-events';

/** Exposes the contents of this worker's publications in flight. */
export const measurePublications = ({ publishEvents }: PublishActivities, registry: Registry): PublishActivities => {
  const inFlight = new Set<Batch>();
  showWaiting(inFlight, registry);
  return {
    publishEvents: async (batch) => {
      inFlight.add(batch);
      try {
        return await publishEvents(batch);
      } finally {
        inFlight.delete(batch);
      }
    },
  };
};

const showWaiting = (inFlight: ReadonlySet<Batch>, registry: Registry): void => {
  const registers = [registry];
  new Gauge({
    name: 'point_alarm_waiting_events',
    help: 'Events in publications in flight in this worker. Nodes may hold more that were committed since.',
    registers,
    collect() {
      this.set([...inFlight].reduce((sum, { events }) => sum + events.length, 0));
    },
  });
  new Gauge({
    name: 'point_alarm_oldest_waiting_event_age_seconds',
    help: 'Age of the oldest event in a publication in flight in this worker; 0 where there is none.',
    registers,
    collect() {
      this.set(Math.max(0, ...[...inFlight].map(({ events }) => secondsSince(events[0]?.timestamp ?? Date.now()))));
    },
  });
};

const secondsSince = (epochMs: number): number => Math.max(0, Date.now() - epochMs) / 1_000;
