import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createClient } from 'redis';
import { entriesAfter } from '../stream/pages';
import { freshNodes, service } from './calls';
import { useOf } from './machine';
import { callEachOnce, type Bench, type Watch } from './measure';
import { createTimes, quantilesOf } from './times';

/** How often nodes, or the baseline's entities, continued as new. The server keeps closed runs for an hour. */
export const newRuns: Watch = async ({ temporal }, { workflowType }) => {
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

/** ms from the time that an event bears, that of the workflow task that commits it, to that of its entry. */
export const lag: Watch = async ({ redis }) => {
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

/** V8 gives memory back when a process has been idle for a while. */
const IDLE_MS = 15_000;

/** What a worker needs for nodes that it caches, each with a threshold and a measurement. */
export const memory = async (bench: Bench): Promise<void> => {
  const { cachedNodes } = bench.options.scale;
  const megabytesWith = async (count: number): Promise<number> => {
    const nodes = freshNodes(count);
    for (const calls of service.calm.prepare) await callEachOnce(bench, calls, nodes);
    await sleep(IDLE_MS, undefined, { signal: bench.signal });
    return useOf(bench.stack).megabytes['worker'] ?? 0;
  };
  // What the first nodes cost, the code that they warm up included, is not what a node costs.
  const first = Math.ceil(cachedNodes / 10);
  const [before, after] = [await megabytesWith(first), await megabytesWith(cachedNodes - first)];
  const perNode = { 'KB per node': (1_000 * (after - before)) / (cachedNodes - first) };
  const figures = { 'with the first, MB': before, 'with the second, MB': after, ...perNode };
  bench.note({ section: 'memory', load: `${first} and ${cachedNodes} nodes`, side: 'service', round: 1, figures });
};
