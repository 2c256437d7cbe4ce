import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A metric of a process, as its registry and docs/metrics.md show it. */
export interface Metric {
  /** The process that exposes the metric. Programs that consume the stream have a registry of their own. */
  readonly in: 'API' | 'worker' | 'both' | 'consumer';
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels?: ReadonlyArray<string>;
  readonly buckets?: ReadonlyArray<number>;
  readonly help: string;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SECONDS_FROM_1_MS = [0.001, 0.0025, ...SECONDS];

const metricsOf = <P extends Metric['in'], T extends Metric['type'], const R extends Readonly<Record<string, Row>>>(
  processes: P,
  type: T,
  rows: R,
) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, in: processes, type }])) as {
    readonly [Name in keyof R]: R[Name] & { readonly in: P; readonly type: T };
  };

type Row = Omit<Metric, 'in' | 'type'>;

/** Every metric that our own code counts, except those that workflows count (`workflows/node-counters.ts`). */
export const metrics = {
  ...metricsOf('API', 'counter', {
    point_alarm_commands_total: {
      labels: ['command', 'outcome'],
      help: 'Commands to nodes, by name and outcome: Applied, Unchanged, or the kind of the refusal or outage.',
    },
    point_alarm_decisions_total: {
      labels: ['source'],
      help: 'Permissions that calls needed a decision for, by its source: asked, shared with a request in flight, kept from an earlier one.',
    },
    point_alarm_groups_given_up_total: { help: 'Groups that Temporal did not answer, or not in time.' },
    point_alarm_malformed_requests_total: {
      labels: ['status'],
      help: 'Answers to what never became a request (malformed HTTP, too slow or too large a head, a tunnel), by status.',
    },
    point_alarm_problems_total: { labels: ['type'], help: 'Calls answered with a problem, by its type.' },
    point_alarm_refused_calls_total: {
      labels: ['calls', 'why'],
      help: 'Calls refused before they were sent, by why: overload (process full), share (user has too much), node (too many for one node), unresponsive (its node does not answer in time), late (deadline passed), gone (caller left).',
    },
  }),
  ...metricsOf('API', 'gauge', {
    point_alarm_expected_wait_seconds: {
      labels: ['calls'],
      help: 'Time that the last of the waiting nodes has to wait for its slot.',
    },
    point_alarm_key_set_age_seconds: {
      help: 'Time since the key set was last fetched; 0 for a key set in a file, which is watched.',
    },
    point_alarm_slots_in_flight: {
      labels: ['calls'],
      help: 'Slots taken by attempts in flight to send groups of commands, or reads: one per node, by weight.',
    },
    point_alarm_slots_limit: {
      labels: ['calls'],
      help: 'Slots that the process takes at once, besides four for nodes that fail.',
    },
    point_alarm_waiting_calls: {
      labels: ['calls'],
      help: 'Calls that wait in the queues of their nodes and are not sent yet.',
    },
  }),
  ...metricsOf('API', 'histogram', {
    point_alarm_group_commands: { buckets: [1, 2, 4, 8, 16, 32, 64], help: 'Commands of a group.' },
    point_alarm_group_duration_seconds: {
      buckets: SECONDS,
      help: 'Time from sending a group to its answer by Temporal, all tries together.',
    },
    point_alarm_http_request_duration_seconds: {
      labels: ['method', 'route', 'status'],
      buckets: SECONDS_FROM_1_MS,
      help: 'Time from the head of a request to its answer, by route, method and status; 499: its caller left before it.',
    },
    point_alarm_pdp_duration_seconds: {
      labels: ['endpoint', 'outcome'],
      buckets: SECONDS_FROM_1_MS,
      help: 'Time of a request to the policy decision point, by endpoint and outcome: answered, timeout, failed, status, malformed.',
    },
    point_alarm_queue_wait_seconds: {
      buckets: [0.001, ...SECONDS],
      help: 'Time that the first command of a group waited in the queue of its node.',
    },
  }),
  ...metricsOf('both', 'counter', {
    point_alarm_events_published_total: {
      labels: ['type'],
      help: 'Events that this process appended to the stream, by type; one that was there already, or whose answer was lost, is not counted.',
    },
    point_alarm_publish_failures_total: { help: 'Tries of a publication that failed; each is tried again.' },
    point_alarm_redis_connections_total: {
      help: 'Connections made to Redis; every one after the first followed a loss.',
    },
  }),
  ...metricsOf('both', 'gauge', {
    point_alarm_dependency_up: {
      labels: ['dependency'],
      help: 'Whether a dependency of the process answers: 1, else 0.',
    },
  }),
  ...metricsOf('both', 'histogram', {
    point_alarm_event_loop_delay_seconds: {
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      help: 'By how much the event loop of the process was late, at most, in each second.',
    },
    point_alarm_publish_lag_seconds: {
      buckets: [...SECONDS, 30, 60, 300],
      help: "Time from an event's commit to the stream's answer.",
    },
  }),
  ...metricsOf('worker', 'counter', {
    point_alarm_rejected_workflow_tasks_total: {
      help: 'Workflow tasks whose outcome Temporal did not take, since it knows no such search attribute, for instance; each is tried again.',
    },
  }),
  ...metricsOf('worker', 'histogram', {
    point_alarm_long_activations_seconds: {
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5],
      help: 'Time that the code of a node ran without a pause, where it was 0.1 s or more: other nodes of the worker waited for it.',
    },
  }),
  ...metricsOf('worker', 'gauge', {
    point_alarm_cache_capacity_nodes: { help: 'Nodes that this worker may keep in memory.' },
    point_alarm_oldest_waiting_event_age_seconds: {
      help: 'Age of the oldest event in a publication in flight in this worker; 0 where there is none.',
    },
    point_alarm_waiting_events: {
      help: 'Events in publications in flight in this worker. Nodes may hold more that were committed since.',
    },
  }),
  ...metricsOf('consumer', 'counter', {
    point_alarm_consumer_events_total: {
      labels: ['outcome'],
      help: 'Events by what became of them: handled, repeated, skipped, failed, postponed, aside, lost.',
    },
    point_alarm_forward_failures_total: {
      help: 'Tries of a forwarder to send alarms to Alertmanager that failed; each is tried again.',
    },
    point_alarm_forward_refused_alerts_total: {
      help: 'Alerts that Alertmanager, or a proxy before it, refused even alone, each time; its log names their nodes.',
    },
  }),
  ...metricsOf('consumer', 'gauge', {
    point_alarm_consumer_gap_timestamp_seconds: {
      labels: ['edge'],
      help: 'When the last entry before the last gap (edge from), and the first one after it (edge to), were made.',
    },
    point_alarm_consumer_lag: {
      labels: ['stream'],
      help: 'Entries that the group has still to handle, those in hand included.',
    },
  }),
};

type Metrics = typeof metrics;
type Named<Type> = { [Name in keyof Metrics]: Metrics[Name]['type'] extends Type ? Name : never }[keyof Metrics];
/** A metric's labels as the last argument of a function; no argument if the metric has no labels. */
type Labels<Name extends keyof Metrics> = Metrics[Name] extends {
  readonly labels: ReadonlyArray<infer Label extends string>;
}
  ? readonly [labels: Readonly<Record<Label, string>>]
  : readonly [];
type Add<Name extends keyof Metrics> = (value: number, ...labels: Labels<Name>) => void;
type Samples<Name extends keyof Metrics> = ReadonlyArray<readonly [value: number, ...labels: Labels<Name>]>;

/**
 * Gauges of the runtime that are left out: their monitor wakes an idle process a hundred times per second, and each scrape
 * resets their values. `point_alarm_event_loop_delay_seconds` takes their place.
 */
const LEFT_OUT = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (of) => `nodejs_eventloop_lag_${of}_seconds`,
);
const SELDOM_MS = 3_600_000;

/** A registry of its own with the runtime's default metrics (memory, CPU, event loop), labelled by the process's name. */
export const createMetrics = ({ process }: { readonly process: string }): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SELDOM_MS });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  return registry;
};

export const counter = <Name extends Named<'counter'>>(registry: Registry, name: Name): Add<Name> => {
  const metric = new Counter(shapeOf(registry, name));
  return (value, ...[labels]) => metric.inc(labels ?? {}, value);
};

export const histogram = <Name extends Named<'histogram'>>(registry: Registry, name: Name): Add<Name> => {
  const metric = new Histogram({ ...shapeOf(registry, name), buckets: [...metrics[name].buckets] });
  return (value, ...[labels]) => metric.observe(labels ?? {}, value);
};

/** Adds a gauge to `registry`. Each scrape of the registry calls `read` for the gauge's values. */
export const gauge = <Name extends Named<'gauge'>>(
  registry: Registry,
  name: Name,
  read: () => Samples<Name> | Promise<Samples<Name>>,
): void => {
  const metric = new Gauge({
    ...shapeOf(registry, name),
    collect: async () => {
      const samples = await read();
      metric.reset();
      for (const sample of samples) set(...sample);
    },
  });
  const set: Add<Name> = (value, ...[labels]) => metric.set(labels ?? {}, value);
};

const shapeOf = (registry: Registry, name: keyof Metrics) => {
  const { help, labels = [] }: Metric = metrics[name];
  return { name, help, labelNames: [...labels], registers: [registry] };
};
