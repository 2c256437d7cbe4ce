import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createClient } from 'redis';
import { freshNodes, nodeId, service } from './calls';
import { useOf } from './machine';
import { prepare, type Bench, type Watch } from './measure';
import { quantilesOf } from './recorder';
import type { BenchStack } from './stack';

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

/** ms from the time that an event bears, that of the workflow task that commits it, to that of its entry. */
export const lag: Watch = async (_, { redis, stream }) => {
  const client = await createClient({ url: redis }).connect();
  const newest = (await client.xRevRange(stream, '+', '-', { COUNT: 1 }))?.[0];
  return async () => {
    const entries = (await client.xRange(stream, newest === undefined ? '-' : `(${newest.id}`, '+')) ?? [];
    client.destroy();
    const lags = entries.map(({ id, message }) => Number.parseInt(id, 10) - Number(message['timestamp']));
    const { p50, p99, max } = quantilesOf(lags);
    return { events: lags.length, 'lag p50 ms': p50, 'lag p99 ms': p99, 'lag max ms': max };
  };
};

const FOLLOWED_NODES = 100;
const POLL_MS = 1;
const PATIENCE_MS = 10_000;

/**
 * How old answers from the read cache are: nodes change their status one after the other, and the API with the cache, which
 * learns of it only by the stream, is read all the while. The age (ms) of the last old answer counts from the time that the new
 * status bears, that of the workflow task that commits it.
 */
export const ages: Watch = async (bench, stack) => {
  const nodes = freshNodes(FOLLOWED_NODES);
  await prepare(bench, stack, nodes, service.flapping.prepare);
  const { call: write, close } = await service.flapping.open(stack, nodes);
  const headers = { Authorization: `Bearer ${stack.token}` };
  let isOver = false;
  const follow = async (): Promise<ReadonlyArray<number>> => {
    const found: number[] = [];
    for (let number = 0; !isOver; number += 1) {
      const url = `${stack.cached?.api ?? ''}/v1/alarm-status/${nodeId(nodes.set, number % nodes.count)}`;
      const ask = async (): Promise<string> => (await fetch(url, { headers })).text();
      const [{ asked, answer }, fault] = await Promise.all([lastOldAnswer(ask, await ask()), write(number)]);
      if (fault !== '') throw new Error(`a measurement that was to be followed failed: ${fault}`);
      const { updatedAt }: { readonly updatedAt: number } = JSON.parse(answer);
      found.push(Math.max(0, asked - updatedAt));
    }
    return found;
  };
  const following = follow();
  following.catch(() => undefined); // it is thrown once the load is over
  return async () => {
    isOver = true;
    const found = await following.finally(close);
    const { p50, p99, max } = quantilesOf(found);
    return { changes: found.length, 'age p50 ms': p50, 'age p99 ms': p99, 'age max ms': max };
  };
};

/** ms since the epoch, with fractions. */
const now = (): number => performance.timeOrigin + performance.now();

/** When the last read with the old answer began, and the new answer. Errors: the answer never changes. */
const lastOldAnswer = async (ask: () => Promise<string>, old: string) => {
  const begin = now();
  for (let last = begin; last < begin + PATIENCE_MS;) {
    const asked = now();
    const answer = await ask();
    if (answer !== old) return { asked: last, answer };
    last = asked;
    await sleep(POLL_MS);
  }
  throw new Error(`a change was not seen within ${PATIENCE_MS} ms`);
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
  const goal = { what: 'Memory of a node', figure: 'KB per node', bound: 'at most', wish: 130, unit: ' KB' } as const;
  bench.note({ section: 'memory', load, side: 'service', round: 1, goals: [goal], figures });
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
