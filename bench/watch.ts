import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowClient } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { createClient } from 'redis';
import { WORKFLOW_TYPE, workflowIdOf } from '../workflows/messages';
import { httpCalls } from './calls';
import { CALM, CALM_AND_FLAPPING, isBaseline, nodeId, type Nodes } from './job';
import { useOf } from './machine-use';
import { atShare, closed, figuresOf, freshNodes, MEASURED, prepare, startLoad, withWarmCache } from './measure';
import type { Bench, Measurement, Watch } from './measure';
import { quantilesOf } from './recorder';
import { withWorkflows, type BenchStack } from './stack';

/**
 * The events that came into the stream, and the publications of nodes, which take what the API did not relay. A node that
 * publishes by itself mostly has one event to publish, so the rest was relayed.
 */
export const publications: Watch = async (stack) => {
  const before = await countsOf(stack);
  return async () => {
    const after = await countsOf(stack);
    const [events, count] = [after.events - before.events, after.publications - before.publications];
    return { events, publications: count, relayed: events === 0 ? 0 : 1 - Math.min(1, count / events) };
  };
};

/** The SDK counts how long activities waited to be begun, once each. */
const PUBLICATIONS = /^temporal_activity_schedule_to_start_latency\w*_count\{[^}]*\} (\d+)/gmu;

const countsOf = async ({ redis, stream, workers }: BenchStack) => {
  const client = await createClient({ url: redis }).connect();
  try {
    const metrics = await Promise.all(workers.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    const counts = [...metrics.join('\n').matchAll(PUBLICATIONS)].map(([, count]) => Number(count));
    return { events: await client.xLen(stream), publications: counts.reduce((sum, count) => sum + count, 0) };
  } finally {
    client.destroy();
  }
};

/** How often nodes, or the baseline's entities, continued as new. The server keeps closed runs for an hour. */
export const newRuns: Watch = async (stack, calls) => {
  const query = `WorkflowType = '${isBaseline(calls) ? 'counter' : WORKFLOW_TYPE}' AND ExecutionStatus = 'ContinuedAsNew'`;
  const count = async (): Promise<number> => (await withWorkflows(stack, (workflows) => workflows.count(query))).count;
  const before = await count();
  return async () => ({ 'new runs': (await count()) - before });
};

/** ms from the time that an event bears, that of the workflow task that commits it, to that of its entry. */
export const lag: Watch = async ({ redis, stream }) => {
  const client = await createClient({ url: redis }).connect();
  const newest = (await client.xRevRange(stream, '+', '-', { COUNT: 1 }))?.[0];
  return async () => {
    const entries = (await client.xRange(stream, newest === undefined ? '-' : `(${newest.id}`, '+')) ?? [];
    client.destroy();
    const lags = entries.map(({ id, message }) => Number.parseInt(id, 10) - Number(message['timestamp']));
    const { p50, p99, max } = quantilesOf(lags);
    return { events: lags.length, 'lag p50': p50, 'lag p99': p99, 'lag max': max };
  };
};

/** Bytes by which the database grew a call; each call has an event. */
export const database: Watch = async (stack, calls) => {
  const counted = await publications(stack, calls);
  const before = useOf(stack).fileBytes;
  return async () => {
    const { events = 0 } = await counted();
    return { 'bytes a call': (useOf(stack).fileBytes - before) / Math.max(1, events) };
  };
};

/** What a worker needs for nodes that it caches, each with a threshold and a measurement. */
export const memory = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { cachedNodes } = bench.options.scale;
  // What the first nodes cost, the code that they warm up included, is not what a node costs.
  const first = freshNodes(Math.ceil(cachedNodes / 10));
  await prepare(bench, stack, first, MEASURED);
  const before = await steadyBytes(stack);
  const nodes = freshNodes(cachedNodes - first.count);
  await prepare(bench, stack, nodes, MEASURED);
  const after = await steadyBytes(stack);
  const figures = { before, after, 'bytes a node': (after - before) / nodes.count };
  const load = `${first.count} and ${cachedNodes} nodes`;
  bench.note({ section: 'memory', load, side: 'service', round: 1, figures });
};

/** V8 gives memory back when a process has been idle for a while. */
const STEADY_WITHIN_MS = 20_000;
const STEADY_MS = 5_000;

/** Resident bytes of the workers, once they fall no further. */
const steadyBytes = async (stack: BenchStack): Promise<number> => {
  const end = Date.now() + STEADY_WITHIN_MS;
  let [least, since] = [Infinity, Date.now()];
  while (Date.now() < end && Date.now() - since < STEADY_MS) {
    const bytes = useOf(stack).resident['worker'] ?? 0;
    if (bytes < least * 0.99) [least, since] = [bytes, Date.now()];
    await sleep(250);
  }
  return least;
};

/** Longer than anything that is done beside a load. */
const LONGEST_MS = 600_000;

/**
 * How old answers from the read cache are: measurements go through one API at half of the greatest rate, and another one with
 * `READS=cache`, which learns of them only by the stream, is read all the while.
 */
export const staleness = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { scale, warmUpMs } = bench.options;
  const nodes = freshNodes(scale.followed);
  await prepare(bench, stack, nodes, MEASURED);
  await withWarmCache(bench, stack, nodes, async (cached) => {
    const greatest = await measurementsOf(bench, stack, 'half load', scale.spread[0], CALM);
    const half = await atShare({ ...bench, note: () => undefined }, greatest, 0.5);
    const ending = new AbortController();
    const ground = { ...bench.ground, signal: AbortSignal.any([bench.ground.signal, ending.signal]) };
    const { calls, nodes: others, pattern } = half;
    const job = { calls, nodes: others, pattern, windowMs: LONGEST_MS };
    const ended = startLoad({ ...bench, ground }, stack, job).then(() => {
      throw new Error('the load ended before what is done beside it');
    });
    try {
      const ages = await Promise.race([sleep(warmUpMs).then(() => agesOf(stack, cached, nodes)), ended]);
      const load = `beside ${pattern.perSecond} measurements per second`;
      const figures = { changes: ages.length, ...quantilesOf(ages) };
      bench.note({ section: 'staleness', load, side: 'READS=cache', round: 1, figures });
    } finally {
      ending.abort();
      await ended.catch(() => undefined);
    }
  });
};

const POLL_MS = 1;
const PATIENCE_MS = 10_000;

/** Changes the status of each node once; the times (ms) in which `cached` answered with the old one. */
const agesOf = (stack: BenchStack, cached: BenchStack, nodes: Nodes): Promise<ReadonlyArray<number>> =>
  withWorkflows(stack, async (workflows) => {
    const write = httpCalls({ kind: 'recordMeasurement', dangerEvery: [1] }, { ...stack, nodes });
    const headers = { Authorization: `Bearer ${stack.token}` };
    const ages: number[] = [];
    for (let place = 0; place < nodes.count; place += 1) {
      const node = nodeId(nodes.set, place);
      const url = `${cached.api}/v1/alarm-status/${node}`;
      const written = async (): Promise<void> => {
        const fault = await write(place);
        if (fault !== '') throw new Error(`a measurement that was to be followed failed: ${fault}`);
      };
      const [asked] = await Promise.all([lastOldAnswer(async () => (await fetch(url, { headers })).text()), written()]);
      ages.push(Math.max(0, asked - (await lastCommitOf(workflows, node))));
    }
    return ages;
  });

/** ms since the epoch, with fractions. */
const now = (): number => performance.timeOrigin + performance.now();

/** The time of the last read with the old answer. Errors: the answer never changes. */
const lastOldAnswer = async (ask: () => Promise<string>): Promise<number> => {
  const begin = now();
  const first = await ask();
  for (let last = begin; last < begin + PATIENCE_MS;) {
    const asked = now();
    if ((await ask()) !== first) return last;
    last = asked;
    await sleep(POLL_MS);
  }
  throw new Error(`a change was not seen within ${PATIENCE_MS} ms`);
};

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;

/** When a node's last workflow task was committed, by its history (epoch ms). */
const lastCommitOf = async (workflows: WorkflowClient, node: string): Promise<number> => {
  const { events } = await workflows.getHandle(workflowIdOf(node)).fetchHistory();
  const last = events?.findLast(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED)?.eventTime;
  return Number(last?.seconds ?? NaN) * 1_000 + (last?.nanos ?? 0) / 1e6;
};

/** So few nodes that each continues as new about every minute. */
const SOAK_NODES = 100;
const SOAK_SHARE = 0.7;
/** The greatest rate is that of nodes that have continued as new; for each minute of the soak it is waited for and measured so long. */
const AGING_MS = 4_000;
const AGED_MS = 1_000;
const MINUTE_MS = 60_000;

/** Measurements for many minutes, at a share of the rate that the service can take; half of the nodes flap. A row a minute. */
export const soak = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { soakMinutes: windows } = bench.options;
  const aged = { ...bench.options, warmUpMs: windows * AGING_MS, windowMs: windows * AGED_MS };
  const greatest = await measurementsOf(bench, stack, 'soak', SOAK_NODES, CALM_AND_FLAPPING);
  const { calls, nodes, pattern } = await atShare({ ...bench, options: aged }, greatest, SOAK_SHARE);
  bench.say(`${windows} minutes at ${pattern.perSecond} calls per second`);
  const row = { section: 'soak', side: 'service', round: 1 };
  const counted = await newRuns(stack, calls);
  let minute = 0;
  await startLoad(bench, stack, { calls, nodes, pattern, windows, windowMs: MINUTE_MS }, (window) => {
    minute += 1;
    const figures = { ...figuresOf(window), minute, 'file bytes': window.fileBytes };
    bench.note({ ...row, load: `minute ${minute}`, figures });
  });
  bench.note({ ...row, load: 'all minutes', figures: await counted() });
};

/** Measurements of new nodes, 64 at once. */
const measurementsOf = async (
  bench: Bench,
  stack: BenchStack,
  section: string,
  count: number,
  dangerEvery: ReadonlyArray<number>,
): Promise<Measurement> => {
  const nodes = freshNodes(count);
  await prepare(bench, stack, nodes, MEASURED);
  const calls = { kind: 'recordMeasurement', dangerEvery } as const;
  return { section, load: '', side: 'service', stack, calls, nodes, pattern: closed() };
};
