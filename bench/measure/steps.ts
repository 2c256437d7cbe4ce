import { createClient } from 'redis';
import { httpCalls } from '../load/http-calls';
import { nodeId, type Nodes } from '../load/job';
import { quantilesOf } from '../load/recorder';
import type { BenchStack } from '../stack/bench-stack';
import { withWorkflows } from '../stack/with-workflows';
import type { Bench } from './bench';
import { now } from './clock';
import { atHalfLoad } from './half-load';
import { freshNodes, measuredNodes, serviceTarget } from './prepare';
import { lastTaskOf, type TaskTimes } from './task-times';

/** When a call came to each place on its way; ms since the epoch. */
interface Way extends TaskTimes {
  readonly sent: number;
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
  await atHalfLoad(bench, stack, (perSecond) => follow(bench, stack, `beside ${perSecond} calls a second`));
};

const follow = async (bench: Bench, stack: BenchStack, load: string): Promise<void> => {
  const nodes = await measuredNodes(bench, stack, freshNodes(bench.options.scale.followed));
  const ways = await waysOf(stack, nodes);
  for (const [side, [from, to]] of Object.entries(STEPS)) {
    const { p50, p99 } = quantilesOf(ways.map((way) => way[to] - way[from]));
    bench.note({ section: 'steps', load, side, round: 1, figures: { p50, p99 } });
  }
};

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
  return withWorkflows(stack, (workflows) =>
    Promise.all(
      ends.map(async (end, number) => {
        const node = nodeId(nodes.set, number);
        return { ...end, ...(await lastTaskOf(workflows, node)), inStream: entries.get(node) ?? NaN };
      }),
    ),
  );
};

/** The time of the last entry of each node. */
const entriesOf = async ({ redis, stream }: BenchStack): Promise<ReadonlyMap<string, number>> => {
  const client = await createClient({ url: redis }).connect();
  const entries = (await client.xRange(stream, '-', '+')) ?? [];
  client.destroy();
  return new Map(entries.map(({ id, message }) => [String(message['aggregateId']), Number.parseInt(id, 10)]));
};
