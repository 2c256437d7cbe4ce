import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { signals, workflowIdOf } from '../../../workflows/messages';
import { startCedar } from '../api/auth/cedar-process';
import { eventually } from '../workflows/nodes';
import { familiesIn, type Family } from '../../support/exposition';
import { startService, type Service } from '../../support/service';

/** A service to which everything has happened that has a metric of its own; it keeps only two nodes in memory. */
export const startBusyService = async (): Promise<Service> => {
  const cedar = await startCedar({ nodes: [] });
  await cedar.grant([{ user: '*', actions: ['*'], node: '*' }]);
  const service = await startService({
    MAX_CACHED_WORKFLOWS: '2',
    MAX_CONCURRENT_WORKFLOW_TASKS: '2',
    AUTHORIZER_URL: cedar.url,
  });
  const nodeIds = Array.from({ length: 4 }, () => randomUUID());
  for (const nodeId of nodeIds) await measureOddly(service, nodeId);
  const [first = ''] = nodeIds;
  await service.call({ method: 'GET', path: `/v1/alarm-status/${first}`, user: null });
  const node = service.client.workflow.getHandle(workflowIdOf(first));
  await node.signal(signals.setThreshold, { threshold: 17 });
  await node.signal(signals.setExternalAlarm, { userId: 'operator', status: 3 }); // after a signal the node publishes itself
  await sendGarbage(service.api);
  await failTask(service);
  const wanted = [
    'temporal_activity_schedule_to_start_latency_seconds',
    'point_alarm_refused_signals_total',
    'temporal_sticky_cache_total_forced_eviction_total',
    'temporal_sticky_cache_miss_total',
    'temporal_workflow_task_execution_failed_total',
  ];
  await eventually(
    async () => [...(await shown(service.worker)).keys()],
    (names) => wanted.every((name) => names.includes(name)),
  );
  return { ...service, stop: () => Promise.all([service.stop(), cedar.remove()]).then(() => undefined) };
};

/** The families that the process at `port` shows. */
export const shown = async (port: number): Promise<ReadonlyMap<string, Family>> =>
  familiesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());

/** Sets a threshold and sends a measurement in another unit, dated an hour ahead. */
const measureOddly = async ({ call }: Service, nodeId: string): Promise<void> => {
  const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 } };
  const dataPoint = { coordinate: { x: 0, y: 61.5 }, xUnit: 's', yUnit: 'F' };
  const createdAt = new Date(Date.now() + 3_600_000);
  const measurement = { measurementId: randomUUID(), createdAt, contentType: 'DATA_POINT', dataPoint };
  await call({ method: 'PUT', path: `/v1/point-alarm-threshold/${nodeId}`, body: threshold });
  await call({ method: 'PUT', path: `/v1/alarm-status/${nodeId}`, body: measurement });
};

const sendGarbage = async (port: number): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  socket.end('no HTTP at all\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
};

/** A workflow of a type that the worker does not know: its task fails, and is tried again until it is terminated. */
const failTask = async ({ client, taskQueue, worker }: Service): Promise<void> => {
  const handle = await client.workflow.start('unknown', { workflowId: `unknown-${randomUUID()}`, taskQueue, args: [] });
  await eventually(
    () => shown(worker),
    (families) => families.has('temporal_workflow_task_execution_failed_total'),
  );
  await handle.terminate();
};
