import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createClient } from 'redis';
import { entriesAfter } from '../../stream/pages';
import { freshNodes, service } from './calls';
import { resourceUseOf } from './machine';
import { callEachOnce, type Bench, type Watch } from './measure';
import { createTimes, quantilesOf } from './times';

/** How often workflows continued as new while a load ran. The server keeps closed runs for an hour, so all are counted. */
export const countNewRuns: Watch = async ({ temporal }, { workflowType }) => {
  const query = `WorkflowType = '${workflowType}' AND ExecutionStatus = 'ContinuedAsNew'`;
  const connection = await Connection.connect({ address: temporal });
  const { workflow } = new Client({ connection });
  const before = (await workflow.count(query)).count;
  return async () => {
    const { count } = await workflow.count(query);
    await connection.close();
    return { 'new runs': count - before };
  };
};

const STREAM = 'point-alarm-events';

/** The time (ms) from the workflow task that commits an event, by the event's timestamp, to the event's entry in the stream. */
export const watchPublishLag: Watch = async ({ redis }) => {
  const client = await createClient({ url: redis }).connect();
  const newest = (await client.xRevRange(STREAM, '+', '-', { COUNT: 1 }))?.[0];
  return async () => {
    const entries = await entriesAfter(client, STREAM, newest?.id ?? '0-0');
    client.destroy();
    const lags = entries.map(({ id, fields }) => Number.parseInt(id, 10) - Number(fields['timestamp']));
    const { p50, p99, max } = quantilesOf(createTimes(lags));
    return { events: entries.length, 'lag p50 ms': p50, 'lag p99 ms': p99, 'lag max ms': max };
  };
};

/** Pause (ms) before memory is read: V8 gives memory back when a process has been idle for a while. */
const IDLE_MS = 15_000;

/** Measures how much memory a worker takes for each cached node, which has a threshold and a measurement. */
export const measureMemory = async (bench: Bench): Promise<void> => {
  const { cachedNodes } = bench.options.scale;
  const megabytesWith = async (count: number): Promise<number> => {
    const nodes = freshNodes(count);
    for (const calls of service.calm.prepare) await callEachOnce(bench, calls, nodes);
    await sleep(IDLE_MS, undefined, { signal: bench.signal });
    return resourceUseOf(bench.stack).megabytes['worker'] ?? 0;
  };
  // The first nodes do not count: while the worker sets them up, it also takes memory for code that runs for the first time.
  const first = Math.ceil(cachedNodes / 10);
  const [before, after] = [await megabytesWith(first), await megabytesWith(cachedNodes - first)];
  const perNode = { 'KB per node': (1_000 * (after - before)) / (cachedNodes - first) };
  const figures = { 'with the first, MB': before, 'with the second, MB': after, ...perNode };
  bench.note({ section: 'memory', load: `${first} and ${cachedNodes} nodes`, side: 'service', round: 1, figures });
};
