import { createActivities, measurePublications } from '../activities/publish-events';
import { createPublisher, eventsOf, measurePublisher } from '../stream/append';
import { createLog } from '../process/log';
import { counter, createMetrics, gauge, histogram } from '../process/metrics';
import { createDependencies } from '../process/dependencies';
import { connectRedis } from '../stream/connection';
import { servePages } from '../process/page-server';
import { settingsOrExit, workerSettings } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { watchEventLoop } from '../process/event-loop';
import { healthPages } from './health';
import { onLongActivation } from './long-activations';
import { runNodes } from './run-nodes';
import { installRuntime } from './sdk-metrics';

/** Ports that are tried, from the set one on: so many workers may share a machine. */
const PORTS_TRIED = 101;

/** One worker process: it runs nodes and publishes their events. Temporal and Redis may start later than the process. */
const main = async (): Promise<void> => {
  const settings = settingsOrExit('worker', workerSettings(process.env));
  const log = createLog({ level: settings.LOG_LEVEL, process: 'worker' });
  const metrics = createMetrics({ process: 'worker' });
  watchEventLoop(metrics);
  const longActivations = histogram(metrics, 'point_alarm_long_activations_seconds');
  onLongActivation((ms) => longActivations(ms / 1_000));
  const rejectedTasks = counter(metrics, 'point_alarm_rejected_workflow_tasks_total');
  const sdkMetrics = await installRuntime(log, () => rejectedTasks(1));
  gauge(metrics, 'point_alarm_cache_capacity_nodes', () => [[settings.MAX_CACHED_WORKFLOWS]]);
  const connections = counter(metrics, 'point_alarm_redis_connections_total');
  const connected = (): void => connections(1);
  const redis = connectRedis({ ...settings.redis, log, name: 'point-alarm-worker', connected }, settings.EVENT_STREAM);
  const publisher = measurePublisher(createPublisher(redis, eventsOf(settings)), metrics);
  const nodes = runNodes(settings, measurePublications(createActivities(publisher), metrics), log);
  const checks = [
    { dependency: 'Temporal', answers: nodes.temporalAnswers },
    { dependency: 'Redis', answers: redis.answers },
    { dependency: 'worker', answers: () => Promise.resolve(nodes.isRunning()) },
  ];
  const dependencies = createDependencies(checks, metrics);
  const { port, close } = await servePages(
    { host: settings.HOST, port: settings.WORKER_PORT, ports: PORTS_TRIED },
    healthPages(dependencies, metrics, sdkMetrics),
  );
  log.info({ host: settings.HOST, port }, 'health is served');
  stopInOrder({
    log,
    deadlineMs: settings.SHUTDOWN_DEADLINE_MS,
    steps: { worker: nodes.stop, redis: redis.close, health: close },
  });
  // If the SDK's worker fails permanently, the process ends, so that its supervisor starts another.
  await nodes.ended;
};

void main();
