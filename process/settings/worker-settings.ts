import { sequenceT } from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { readSettings, type Environment, type Rule, type Values } from './setting';
import { sharedSettings, workerOnlySettings } from './settings';
import { eventSettings, type EventSettings } from './event-settings';
import { redisFaults, redisSettings, redisTls, type RedisSettings, type RedisTls } from './redis-settings';
import { temporalProfile, temporalSettings, type TemporalProfile, type TemporalSettings } from './temporal-settings';
import { validation } from './validation';

/** The settings of the worker. */
export interface WorkerSettings {
  /** The address of its health and metrics. */
  readonly http: { readonly host: string; readonly port: number };
  readonly temporal: TemporalSettings;
  readonly redis: RedisSettings;
  readonly events: EventSettings;
  readonly capacity: {
    readonly cachedWorkflows: number;
    readonly workflowTasks: number;
    readonly activities: number;
    readonly workflowTaskPollers: number;
    readonly activityPollers: number;
    readonly stickyTimeoutMs: number;
  };
  /** The version of this worker, where releases are rolled out by worker versioning. */
  readonly deployment?: { readonly name: string; readonly buildId: string };
  readonly shutdownDeadlineMs: number;
  readonly logLevel: string;
}

/** The settings of the worker in `env`, or every fault found. */
export const workerSettings = (env: Environment): E.Either<ReadonlyArray<string>, WorkerSettings> =>
  pipe(
    sequenceT(validation)(readSettings(table, env, rules), temporalProfile(env), redisTls(env), redisFaults(env)),
    E.map(([values, profile, tls]) => nested(values, profile, tls)),
  );

const table = { ...sharedSettings, ...workerOnlySettings };

const rules: ReadonlyArray<Rule<typeof table>> = [
  {
    of: ['MAX_CONCURRENT_WORKFLOW_TASKS', 'MAX_CACHED_WORKFLOWS'],
    holds: (values) => values.MAX_CONCURRENT_WORKFLOW_TASKS <= values.MAX_CACHED_WORKFLOWS,
    fault: 'MAX_CONCURRENT_WORKFLOW_TASKS must be at most MAX_CACHED_WORKFLOWS',
  },
  {
    of: ['WORKER_DEPLOYMENT', 'WORKER_BUILD_ID'],
    holds: (values) => (values.WORKER_DEPLOYMENT === undefined) === (values.WORKER_BUILD_ID === undefined),
    fault: 'WORKER_DEPLOYMENT and WORKER_BUILD_ID need each other',
  },
];

const nested = (values: Values<typeof table>, profile: TemporalProfile, tls: RedisTls): WorkerSettings => ({
  http: { host: values.HOST, port: values.WORKER_PORT },
  temporal: temporalSettings(profile, values),
  redis: redisSettings(values, tls),
  events: eventSettings(values),
  capacity: {
    cachedWorkflows: values.MAX_CACHED_WORKFLOWS,
    workflowTasks: values.MAX_CONCURRENT_WORKFLOW_TASKS,
    activities: values.MAX_CONCURRENT_ACTIVITIES,
    workflowTaskPollers: values.WORKFLOW_TASK_POLLERS,
    activityPollers: values.ACTIVITY_POLLERS,
    stickyTimeoutMs: values.STICKY_TIMEOUT_MS,
  },
  ...(values.WORKER_DEPLOYMENT !== undefined &&
    values.WORKER_BUILD_ID !== undefined && {
      deployment: { name: values.WORKER_DEPLOYMENT, buildId: values.WORKER_BUILD_ID },
    }),
  shutdownDeadlineMs: values.SHUTDOWN_DEADLINE_MS,
  logLevel: values.LOG_LEVEL,
});
