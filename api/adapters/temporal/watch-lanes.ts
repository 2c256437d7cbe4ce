import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Is told what happens in the lanes. */
export interface LaneWatch {
  /** So many calls more wait for their node, or fewer. */
  readonly waiting: (change: number) => void;
  /** A group goes out; its first command waited so long. */
  readonly sent: (commands: number, waitedSeconds: number) => void;
  /** A group is no longer under way. */
  readonly settled: (seconds: number, isAnswered: boolean) => void;
}

/** Measures the lanes of this process. */
export const watchLanes = (registry: Registry): LaneWatch => {
  const registers = [registry];
  const waiting = new Gauge({
    name: 'point_alarm_waiting_calls',
    help: 'Calls that wait in the lanes of their nodes and are not sent yet.',
    registers,
  });
  const underWay = new Gauge({
    name: 'point_alarm_groups_under_way',
    help: 'Groups of commands under way to nodes: at most one a node.',
    registers,
  });
  const commands = new Histogram({
    name: 'point_alarm_group_commands',
    help: 'Commands of a group.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  const waited = new Histogram({
    name: 'point_alarm_lane_wait_seconds',
    help: 'Time that the first command of a group waited in its lane.',
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
    waiting: (change) => {
      waiting.inc(change);
    },
    sent: (count, waitedSeconds) => {
      underWay.inc();
      commands.observe(count);
      waited.observe(waitedSeconds);
    },
    settled: (seconds, isAnswered) => {
      underWay.dec();
      duration.observe(seconds);
      if (!isAnswered) givenUp.inc();
    },
  };
};

/** Nobody looks. */
export const unwatched: LaneWatch = { waiting: () => undefined, sent: () => undefined, settled: () => undefined };
