import type { Registry } from 'prom-client';
import { counter, gauge } from '../../process/metrics';

/**
 * Why a call was refused before it was sent: nobody's could be served in time (overload); others' could, this user has too many
 * waiting (share); too many wait for the node; the node does not answer in time (unresponsive); its deadline passed (late); its
 * caller disconnected (gone).
 */
const reasons = ['overload', 'share', 'node', 'unresponsive', 'late', 'gone'] as const;
export type NotSent = (typeof reasons)[number];

/** What the queues hold now. */
export interface QueuesState {
  readonly waiting: number;
  readonly inFlight: number;
  readonly limit: number;
  readonly expectedSeconds: number;
}

/** Measures the queues of one kind of call. */
export type QueueMetrics = ReturnType<ReturnType<typeof createAdmissionMetrics>>;

const gauges = [
  ['point_alarm_waiting_calls', 'waiting'],
  ['point_alarm_slots_in_flight', 'inFlight'],
  ['point_alarm_slots_limit', 'limit'],
  ['point_alarm_expected_wait_seconds', 'expectedSeconds'],
] as const;

/** Measures the admission of this process, by what calls are for. */
export const createAdmissionMetrics = (registry: Registry) => {
  const states = new Map<string, () => QueuesState>();
  for (const [name, member] of gauges)
    gauge(registry, name, () => [...states].map(([calls, state]) => [state()[member], { calls }]));
  const refused = counter(registry, 'point_alarm_refused_calls_total');
  return (calls: 'commands' | 'reads') => ({
    /** Called once; `state` is read with each scrape. */
    watch: (state: () => QueuesState): void => {
      states.set(calls, state);
      for (const why of reasons) refused(0, { calls, why }); // the first one is an increase
    },
    refused: (why: NotSent): void => refused(1, { calls, why }),
  });
};
