import { createActivities } from '../activities/activities';
import { createStreamPublisher } from '../activities/redis-stream';
import { createLog } from '../process/log';
import { createMetrics } from '../process/metrics';
import { connectRedis } from '../process/redis';
import { orExit, workerSettings } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { within } from '../process/within';
import { failedTasksIn } from './failed-tasks';
import { serveHealth } from './health';
import { createPointAlarmWorker } from './point-alarm-worker';
import { installRuntime } from './sdk-metrics';
import { registerStatusAttribute } from './status-attribute';
import { connectTemporal } from './temporal-connection';
import { workflowCode } from './workflow-code';

const ANSWERS_WITHIN_MS = 2_000;

/** One worker process: it runs nodes and publishes their events. Everything that it stands on may start later. */
const main = async (): Promise<void> => {
  const settings = orExit('worker', workerSettings(process.env));
  const log = createLog({ level: settings.logLevel, process: 'worker' });
  const sdkMetrics = await installRuntime(log);
  const metrics = createMetrics({ process: 'worker' });
  const redis = connectRedis({ url: settings.redis.url, log, name: 'point-alarm-worker' });
  const stopping = new AbortController();
  const temporal = connectTemporal(settings.temporal, log, stopping.signal);

  const working = temporal.then(async (connection) => {
    if (settings.temporal.searchAttributes) await registerStatusAttribute(connection, settings.temporal.namespace, log);
    const worker = await createPointAlarmWorker({
      connection,
      namespace: settings.temporal.namespace,
      taskQueue: settings.temporal.taskQueue,
      code: await workflowCode(),
      activities: createActivities(createStreamPublisher(redis.client, settings.events)),
      capacity: settings.capacity,
      ...(settings.deployment !== undefined && { deployment: settings.deployment }),
      shutdownDeadlineMs: settings.shutdownDeadlineMs,
    });
    const ended = worker.run();
    running = { worker, ended };
    return ended;
  });
  let running:
    { readonly worker: { shutdown: () => void; getState: () => string }; readonly ended: Promise<void> } | undefined;

  const temporalAnswers = async (): Promise<boolean> => {
    if (running === undefined) return false;
    const { workflowService } = await temporal;
    return within(ANSWERS_WITHIN_MS, workflowService.getSystemInfo({})).then(
      () => true,
      () => false,
    );
  };
  const away = async (): Promise<ReadonlyArray<string>> => {
    const [temporalOk, redisOk] = await Promise.all([temporalAnswers(), redis.answers()]);
    return [
      ...(temporalOk ? [] : ['Temporal']),
      ...(redisOk ? [] : ['Redis']),
      ...(running?.worker.getState() === 'RUNNING' ? [] : ['worker']),
    ];
  };
  const { server, port } = await serveHealth(settings.http.host, settings.http.port, {
    away,
    failedTasks: () => sdkMetrics().then(failedTasksIn, () => 0),
    metrics: async () => (await metrics.metrics()) + (await sdkMetrics()),
  });
  log.info({ host: settings.http.host, port }, 'health is served');

  stopInOrder({
    log,
    deadlineMs: settings.shutdownDeadlineMs,
    steps: [
      {
        name: 'worker',
        run: async () => {
          stopping.abort();
          running?.worker.shutdown();
          await running?.ended;
        },
      },
      {
        name: 'temporal',
        run: async () => {
          if (running !== undefined) await (await temporal).close();
        },
      },
      { name: 'redis', run: redis.close },
      {
        name: 'health',
        run: async () => {
          server.closeAllConnections();
          server.close();
          await Promise.resolve();
        },
      },
    ],
  });
  working.catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
};

void main();
