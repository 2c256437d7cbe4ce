import { Counter, Gauge, type Registry } from 'prom-client';

/** What became of an event, or of an entry that is none. */
export type Outcome = 'handled' | 'repeated' | 'failed' | 'postponed' | 'aside' | 'lost';

const outcomes: ReadonlyArray<Outcome> = ['handled', 'repeated', 'failed', 'postponed', 'aside', 'lost'];

/** Entries that the group has still to handle; undefined where Redis does not know. */
type Lag = () => Promise<number | undefined>;

/**
 * Counts what becomes of events, and has the registry ask for the lag whenever it is read.
 *
 * Errors: a registry holds the metrics of one consumer; a second one is refused.
 */
export const countOutcomes = (registry: Registry, stream: string, lagNow: Lag): ((outcome: Outcome) => void) => {
  const lag = new Gauge({
    name: 'point_alarm_consumer_lag',
    help: 'Entries that the group has still to handle, those in hand included.',
    labelNames: ['stream'],
    registers: [registry],
    collect: async () => {
      lag.reset();
      const entries = await lagNow();
      if (entries !== undefined) lag.set({ stream }, entries);
    },
  });
  const events = new Counter({
    name: 'point_alarm_consumer_events_total',
    help: 'Events by what became of them: handled, repeated, failed, postponed, aside, lost.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of outcomes) events.inc({ outcome }, 0);
  return (outcome) => {
    events.inc({ outcome });
  };
};
