import type { Registry } from 'prom-client';
import { counter, gauge } from '../../process/metrics';

/**
 * Why a call was refused before it was sent. `overload`: a call of any user would wait too long. `share`: only this user's
 * calls would, because too many of them wait. `node`: the node's queue is full. `unresponsive`: the node does not answer in
 * time. `late`: the call's deadline passed. `gone`: its caller disconnected.
 */
const reasons = ['overload', 'share', 'node', 'unresponsive', 'late', 'gone'] as const;
export type RefusalReason = (typeof reasons)[number];

export interface QueuesState {
  readonly waiting: number;
  readonly inFlight: number;
  readonly limit: number;
  readonly expectedSeconds: number;
}

export type QueueMetrics = ReturnType<ReturnType<typeof createAdmissionMetrics>>;

const gauges = [
  ['point_alarm_waiting_calls', 'waiting'],
  ['point_alarm_slots_in_flight', 'inFlight'],
  ['point_alarm_slots_limit', 'limit'],
  ['point_alarm_expected_wait_seconds', 'expectedSeconds'],
] as const;

/** Measures which calls this process accepts, queues and refuses, with commands and reads apart (label `calls`). */
export const createAdmissionMetrics = (registry: Registry) => {
  const states = new Map<string, () => QueuesState>();
  for (const [name, member] of gauges)
    gauge(registry, name, () => [...states].map(([calls, state]) => [state()[member], { calls }]));
  const refused = counter(registry, 'point_alarm_refused_calls_total');
  return (calls: 'commands' | 'reads') => ({
    /** Registers `state`, which every scrape reads. To be called once. */
    watch: (state: () => QueuesState): void => {
      states.set(calls, state);
      for (const why of reasons) refused(0, { calls, why }); // without this 0, the first refusal would not show as an increase
    },
    refused: (why: RefusalReason): void => refused(1, { calls, why }),
  });
};
