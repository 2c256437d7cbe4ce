import { createActivities } from '../activities/activities';
import { measurePublications } from '../activities/measured-publications';
import { measurePublisher } from '../stream/measured-publisher';
import { createPublisher } from '../stream/partitioned-publisher';
import { createLog } from '../process/log';
import { countConnections, createMetrics } from '../process/metrics';
import { showParts, silentOf } from '../process/part-states';
import { connectStream } from '../stream/connection';
import { orExit, workerSettings } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { failedTasksIn } from './failed-tasks';
import { closeHealth, serveHealth } from './health';
import { runNodes } from './run-nodes';
import { installRuntime } from './sdk-metrics';
import { showCapacity } from './show-capacity';

/** One worker process: it runs nodes and publishes their events. Everything that it stands on may start later. */
const main = async (): Promise<void> => {
  const settings = orExit('worker', workerSettings(process.env));
  const log = createLog({ level: settings.logLevel, process: 'worker' });
  const sdkMetrics = await installRuntime(log);
  const metrics = createMetrics({ process: 'worker' });
  showCapacity(settings.capacity, metrics);
  const connected = countConnections(metrics);
  const redis = connectStream({ ...settings.redis, ...settings.events, log, name: 'point-alarm-worker', connected });
  const publisher = measurePublisher(createPublisher(redis, settings.events), metrics);
  const nodes = runNodes(settings, measurePublications(createActivities(publisher), metrics), log);
  const parts = [
    { part: 'Temporal', answers: nodes.temporalAnswers },
    { part: 'Redis', answers: redis.answers },
    { part: 'worker', answers: () => Promise.resolve(nodes.isRunning()) },
  ];
  showParts(parts, metrics);
  const { server, port } = await serveHealth(settings.http.host, settings.http.port, {
    away: () => silentOf(parts),
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
  // A worker that fails for good ends the process: its supervisor starts another.
  await nodes.ended;
};

void main();
