import { createActivities } from '../activities/activities';
import { createStreamPublisher } from '../activities/redis-stream';
import { createLog } from '../process/log';
import { createMetrics } from '../process/metrics';
import { connectRedis } from '../process/redis';
import { orExit, workerSettings } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { failedTasksIn } from './failed-tasks';
import { closeHealth, serveHealth } from './health';
import { runNodes } from './run-nodes';
import { installRuntime } from './sdk-metrics';

/** One worker process: it runs nodes and publishes their events. Everything that it stands on may start later. */
const main = async (): Promise<void> => {
  const settings = orExit('worker', workerSettings(process.env));
  const log = createLog({ level: settings.logLevel, process: 'worker' });
  const sdkMetrics = await installRuntime(log);
  const metrics = createMetrics({ process: 'worker' });
  const redis = connectRedis({ url: settings.redis.url, log, name: 'point-alarm-worker' });
  const nodes = runNodes(settings, createActivities(createStreamPublisher(redis.client, settings.events)), log);
  const { server, port } = await serveHealth(settings.http.host, settings.http.port, {
    away: async () => {
      const [temporalAnswers, redisAnswers] = await Promise.all([nodes.temporalAnswers(), redis.answers()]);
      return [
        ...(temporalAnswers ? [] : ['Temporal']),
        ...(redisAnswers ? [] : ['Redis']),
        ...(nodes.isRunning() ? [] : ['worker']),
      ];
    },
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
