import { Gauge, type Registry } from 'prom-client';
import { createActivities } from '../activities/activities';
import { measurePublications } from '../activities/measured-publications';
import { measurePublisher } from '../stream/measured-publisher';
import { createPublisher } from '../stream/partitioned-publisher';
import { createLog } from '../process/log';
import { countConnections, createMetrics } from '../process/metrics';
import { exposeDependencies, unavailableOf } from '../process/dependencies';
import { connectStream } from '../stream/connection';
import { orExit, workerSettings, type WorkerSettings } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { closeHealth, failedTasksIn, serveHealth } from './health';
import { runNodes, type RunningNodes } from './run-nodes';
import { installRuntime } from './sdk-metrics';

/** One worker process: it runs nodes and publishes their events. Its dependencies may start later. */
const main = async (): Promise<void> => {
  const settings = orExit('worker', workerSettings(process.env));
  const log = createLog({ level: settings.logLevel, process: 'worker' });
  const sdkMetrics = await installRuntime(log);
  const metrics = createMetrics({ process: 'worker' });
  exposeCapacity(settings.capacity, metrics);
  const connected = countConnections(metrics);
  const redis = connectStream({ ...settings.redis, ...settings.events, log, name: 'point-alarm-worker', connected });
  const publisher = measurePublisher(createPublisher(redis, settings.events), metrics);
  const activities = createActivities(publisher, () => nodes.knowsStatusAttribute());
  const nodes: RunningNodes = runNodes(settings, measurePublications(activities, metrics), log);
  const dependencies = [
    { dependency: 'Temporal', answers: nodes.temporalAnswers },
    { dependency: 'Redis', answers: redis.answers },
    { dependency: 'worker', answers: () => Promise.resolve(nodes.isRunning()) },
  ];
  exposeDependencies(dependencies, metrics);
  const { server, port } = await serveHealth(settings.http.host, settings.http.port, {
    unavailable: () => unavailableOf(dependencies),
    failedTasks: () => sdkMetrics().then(failedTasksIn, () => 0),
    metrics: async () => (await metrics.metrics()) + (await sdkMetrics()),
  });
  log.info({ host: settings.http.host, port }, 'health is served');
  stopInOrder({
    log,
    deadlineMs: settings.shutdownDeadlineMs,
    steps: [
      { name: 'worker', run: nodes.stop },
      { name: 'redis', run: redis.close },
      { name: 'health', run: () => closeHealth(server) },
    ],
  });
  // A worker that fails permanently ends the process: its supervisor starts another.
  await nodes.ended;
};

/** Exposes the capacity of this worker, to be compared with its load (`temporal_sticky_cache_size`). */
const exposeCapacity = ({ cachedWorkflows }: WorkerSettings['capacity'], registry: Registry): void => {
  new Gauge({
    name: 'point_alarm_cache_capacity_nodes',
    help: 'Nodes that this worker may keep in memory.',
    registers: [registry],
  }).set(cachedWorkflows);
};

void main();
