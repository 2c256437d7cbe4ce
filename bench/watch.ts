import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createClient } from 'redis';
import { freshNodes, service } from './calls';
import { useOf } from './machine';
import { prepare, type Bench, type Watch } from './measure';
import type { BenchStack } from './stack';
import { createTimes, quantilesOf } from './times';

/** How often nodes, or the baseline's entities, continued as new. The server keeps closed runs for an hour. */
export const newRuns: Watch = async (_, { temporal }, { workflowType }) => {
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
export const lag: Watch = async (_, { redis }) => {
  const client = await createClient({ url: redis }).connect();
  const newest = (await client.xRevRange(STREAM, '+', '-', { COUNT: 1 }))?.[0];
  return async () => {
    const entries = (await client.xRange(STREAM, newest === undefined ? '-' : `(${newest.id}`, '+')) ?? [];
    client.destroy();
    const lags = entries.map(({ id, message }) => Number.parseInt(id, 10) - Number(message['timestamp']));
    const { p50, p99, max } = quantilesOf(createTimes(lags));
    return { events: entries.length, 'lag p50 ms': p50, 'lag p99 ms': p99, 'lag max ms': max };
  };
};

/** What a worker needs for nodes that it caches, each with a threshold and a measurement. */
export const memory = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { cachedNodes } = bench.options.scale;
  // What the first nodes cost, the code that they warm up included, is not what a node costs.
  const first = freshNodes(Math.ceil(cachedNodes / 10));
  await prepare(bench, stack, first, service.calm.prepare);
  const before = await steadyMegabytes(stack);
  const nodes = freshNodes(cachedNodes - first.count);
  await prepare(bench, stack, nodes, service.calm.prepare);
  const after = await steadyMegabytes(stack);
  const perNode = { 'KB per node': (1_000 * (after - before)) / nodes.count };
  const figures = { 'with the first, MB': before, 'with the second, MB': after, ...perNode };
  const load = `${first.count} and ${cachedNodes} nodes`;
  bench.note({ section: 'memory', load, side: 'service', round: 1, figures });
};

/** V8 gives memory back when a process has been idle for a while. */
const STEADY_WITHIN_MS = 20_000;
const STEADY_MS = 5_000;

/** What the workers hold, once it falls no further. */
const steadyMegabytes = async (stack: BenchStack): Promise<number> => {
  const end = Date.now() + STEADY_WITHIN_MS;
  let [least, since] = [Infinity, Date.now()];
  while (Date.now() < end && Date.now() - since < STEADY_MS) {
    const megabytes = useOf(stack).megabytes['worker'] ?? 0;
    if (megabytes < least * 0.99) [least, since] = [megabytes, Date.now()];
    await sleep(250);
  }
  return least;
};
