import type { Registry } from 'prom-client';
import { counter, gauge } from '../../process/metrics';

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
  gauge(registry, 'point_alarm_consumer_lag', async () => {
    const entries = await lagNow();
    return entries === undefined ? [] : [[entries, { stream }]];
  });
  const count = counter(registry, 'point_alarm_consumer_events_total');
  for (const outcome of outcomes) count(0, { outcome });
  return (outcome) => {
    count(1, { outcome });
  };
};
