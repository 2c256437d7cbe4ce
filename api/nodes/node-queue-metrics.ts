import { Counter, Histogram, type Registry } from 'prom-client';

/** The groups of the node queues. */
export interface NodeQueueMetrics {
  /** A group is sent; its first command waited for the given time. */
  readonly sent: (commands: number, waitedSeconds: number) => void;
  /** A group is no longer in flight. */
  readonly completed: (seconds: number, isAnswered: boolean) => void;
}

/** Measures the node queues of this process. */
export const createNodeQueueMetrics = (registry: Registry): NodeQueueMetrics => {
  const registers = [registry];
  const commands = new Histogram({
    name: 'point_alarm_group_commands',
    help: 'Commands of a group.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  const waited = new Histogram({
    name: 'point_alarm_queue_wait_seconds',
    help: 'Time that the first command of a group waited in the queue of its node.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const duration = new Histogram({
    name: 'point_alarm_group_duration_seconds',
    help: 'Time from sending a group to its answer by Temporal, all tries together.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const givenUp = new Counter({
    name: 'point_alarm_groups_given_up_total',
    help: 'Groups that Temporal did not answer, or not in time.',
    registers,
  });
  return {
    sent: (count, waitedSeconds) => {
      commands.observe(count);
      waited.observe(waitedSeconds);
    },
    completed: (seconds, isAnswered) => {
      duration.observe(seconds);
      if (!isAnswered) givenUp.inc();
    },
  };
};

/** Measures nothing. */
export const unmeasuredGroups: NodeQueueMetrics = {
  sent: () => undefined,
  completed: () => undefined,
};
