import { Counter, Histogram, type Registry } from 'prom-client';
import type { NoAnswer } from './http-client';
import type { Question } from './questions';

/** Source of a decision: a question of the call's own, one in flight of another call, or a kept answer. */
export type Source = 'asked' | 'shared' | 'kept';

/** What is measured of the PDP. */
export interface DecisionMetrics {
  readonly asked: (endpoint: Question['endpoint'], outcome: 'answered' | NoAnswer['outcome'], seconds: number) => void;
  readonly taken: (source: Source) => void;
}

export const createDecisionMetrics = (registry: Registry): DecisionMetrics => {
  const duration = new Histogram({
    name: 'point_alarm_pdp_duration_seconds',
    help: 'Time of a request to the policy decision point, by endpoint and outcome: answered, timeout, failed, status, malformed.',
    labelNames: ['endpoint', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const decisions = new Counter({
    name: 'point_alarm_decisions_total',
    help: 'Permissions that calls needed a decision for, by its source: asked, shared with a request in flight, kept from an earlier one.',
    labelNames: ['source'],
    registers: [registry],
  });
  return {
    asked: (endpoint, outcome, seconds) => {
      duration.observe({ endpoint, outcome }, seconds);
    },
    taken: (source) => {
      decisions.inc({ source });
    },
  };
};
