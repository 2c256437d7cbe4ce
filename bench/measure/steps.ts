import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { createClient } from 'redis';
import { workflowIdOf } from '../../workflows/names';
import { httpCalls } from '../load/http-calls';
import { nodeId, type Nodes } from '../load/job';
import { quantileOf } from '../load/recorder';
import { startLoad } from '../load/start-load';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { jobOf, measure, shareOf } from './measure';
import { freshNodes, serviceTarget, withThresholds } from './prepare';

const CALLERS = 64;
const SHARE = 0.5;
/** Calls whose way is followed, each of another node. */
const CALLS = 200;

/** When a call came to each place on its way; ms since the epoch. */
interface Way {
  readonly sent: number;
  readonly scheduled: number;
  readonly begun: number;
  readonly committed: number;
  readonly answered: number;
  readonly inStream: number;
}

/** The steps, each with the places where it begins and ends. */
const STEPS: Readonly<Record<string, readonly [keyof Way, keyof Way]>> = {
  'API, until the server has the update': ['sent', 'scheduled'],
  'the task waits for the worker': ['scheduled', 'begun'],
  'worker, until the server has its answer': ['begun', 'committed'],
  'server and API, until the caller has his': ['committed', 'answered'],
  'the whole call': ['sent', 'answered'],
  'from the commit to the stream': ['committed', 'inStream'],
};

/**
 * The way of measurements, one after the other: alone, and beside a load of half of the greatest rate. What happens in the
 * server is told by the histories of the nodes, in which events have the time of the server's clock.
 */
export const steps = async (bench: Bench, stack: BenchStack): Promise<void> => {
  await follow(bench, stack, 'one call at a time');
  const [count = 1] = bench.options.scale.spread;
  const target = await serviceTarget('recordMeasurement', stack, await withThresholds(bench, stack, freshNodes(count)));
  const most = await measure(
    { ...bench, note: () => undefined },
    { section: 'steps', load: '', side: '', stack, target, pace: { kind: 'closed', callers: CALLERS } },
    1,
  );
  const perSecond = shareOf(most, SHARE);
  const pace = { kind: 'paced', perSecond } as const;
  const ending = new AbortController();
  const ground = { ...bench.ground, signal: AbortSignal.any([bench.ground.signal, ending.signal]) };
  const load = startLoad(jobOf({ target, pace, warmUpMs: 0, windowMs: 120_000 }, stack), ground).catch(() => undefined);
  await follow(bench, stack, `beside ${perSecond} calls a second`);
  ending.abort();
  await load;
};

const follow = async (bench: Bench, stack: BenchStack, load: string): Promise<void> => {
  const nodes = await withThresholds(bench, stack, freshNodes(CALLS));
  const ways = await waysOf(stack, nodes);
  for (const [side, [from, to]] of Object.entries(STEPS)) {
    const times = Float64Array.from(ways, (way) => way[to] - way[from]).sort();
    bench.note({
      section: 'steps',
      load,
      side,
      round: 1,
      figures: { p50: quantileOf(times, 0.5), p99: quantileOf(times, 0.99) },
    });
  }
};

const now = (): number => performance.timeOrigin + performance.now();

const waysOf = async (stack: BenchStack, nodes: Nodes): Promise<ReadonlyArray<Way>> => {
  const target = await serviceTarget('recordMeasurement', stack, nodes);
  const call = httpCalls(target, { kind: 'closed', callers: 1 });
  const ends: Array<Pick<Way, 'sent' | 'answered'>> = [];
  for (let number = 0; number < nodes.count; number += 1) {
    const sent = now();
    const fault = await call(number);
    if (fault !== '') throw new Error(`a call whose way was to be followed failed: ${fault}`);
    ends.push({ sent, answered: now() });
  }
  const entries = await entriesOf(stack);
  const connection = await Connection.connect({ address: stack.temporal });
  try {
    const { workflow } = new Client({ connection });
    return await Promise.all(
      ends.map(async (end, number) => {
        const node = nodeId(nodes.set, number);
        const { events } = await workflow.getHandle(workflowIdOf(node)).fetchHistory();
        return { ...end, ...tasksIn(events ?? []), inStream: entries.get(node) ?? NaN };
      }),
    );
  } finally {
    await connection.close();
  }
};

const { EventType } = temporal.api.enums.v1;

/** The times of the last task of the workflow. */
const tasksIn = (events: ReadonlyArray<temporal.api.history.v1.IHistoryEvent>) => {
  const timeOf = (type: temporal.api.enums.v1.EventType): number => {
    const { seconds, nanos } = events.findLast(({ eventType }) => eventType === type)?.eventTime ?? {};
    return Number(seconds ?? NaN) * 1_000 + (nanos ?? 0) / 1e6;
  };
  return {
    scheduled: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED),
    begun: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED),
    committed: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED),
  };
};

/** The time of the last entry of each node. */
const entriesOf = async ({ redis, stream }: BenchStack): Promise<ReadonlyMap<string, number>> => {
  const client = await createClient({ url: redis }).connect();
  const entries = (await client.xRange(stream, '-', '+')) ?? [];
  client.destroy();
  return new Map(entries.map(({ id, message }) => [String(message['aggregateId']), Number.parseInt(id, 10)]));
};
