import { Counter, Gauge, type Registry } from 'prom-client';
import { reasons } from './not-sent';
import type { QueueMetrics, QueuesState } from './queues';

const gauges: Readonly<Record<keyof QueuesState, readonly [name: string, help: string]>> = {
  waiting: ['waiting_calls', 'Calls that wait in the queues of their nodes and are not sent yet.'],
  inFlight: ['slots_in_flight', 'Slots taken by groups of commands, or by reads, in flight: one per node, by weight.'],
  limit: ['slots_limit', 'Slots that the process takes at once.'],
  expectedSeconds: ['expected_wait_seconds', 'Time that the last of the waiting nodes has to wait for its slot.'],
};

/** Measures the admission of this process, by what calls are for. */
export const createAdmissionMetrics = (registry: Registry): ((calls: 'commands' | 'reads') => QueueMetrics) => {
  const states = new Map<string, () => QueuesState>();
  for (const [member, [name, help]] of Object.entries(gauges))
    new Gauge({
      name: `point_alarm_${name}`,
      help,
      labelNames: ['calls'],
      registers: [registry],
      collect() {
        for (const [calls, state] of states) this.set({ calls }, state()[member as keyof QueuesState]);
      },
    });
  const refused = new Counter({
    name: 'point_alarm_refused_calls_total',
    help: 'Calls refused before they were sent, by why: overload, share, node, late, gone.',
    labelNames: ['calls', 'why'],
    registers: [registry],
  });
  return (calls) => ({
    watch: (state) => {
      states.set(calls, state);
      for (const why of reasons) refused.inc({ calls, why }, 0); // the first one is an increase
    },
    refused: (why) => {
      refused.inc({ calls, why });
    },
  });
};
