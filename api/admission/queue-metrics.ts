import type { Registry } from 'prom-client';
import { counter, gauge } from '../../process/metrics';
import { reasons } from './not-sent';
import type { QueueMetrics, QueuesState } from './queues';

const gauges = [
  ['point_alarm_waiting_calls', 'waiting'],
  ['point_alarm_slots_in_flight', 'inFlight'],
  ['point_alarm_slots_limit', 'limit'],
  ['point_alarm_expected_wait_seconds', 'expectedSeconds'],
] as const satisfies ReadonlyArray<readonly [name: string, member: keyof QueuesState]>;

/** Measures the admission of this process, by what calls are for. */
export const createAdmissionMetrics = (registry: Registry): ((calls: 'commands' | 'reads') => QueueMetrics) => {
  const states = new Map<string, () => QueuesState>();
  for (const [name, member] of gauges)
    gauge(registry, name, () => [...states].map(([calls, state]) => [state()[member], { calls }]));
  const refused = counter(registry, 'point_alarm_refused_calls_total');
  return (calls) => ({
    watch: (state) => {
      states.set(calls, state);
      for (const why of reasons) refused(0, { calls, why }); // the first one is an increase
    },
    refused: (why) => {
      refused(1, { calls, why });
    },
  });
};
