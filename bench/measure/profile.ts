import { createClient } from 'redis';
import { httpCalls } from '../load/http-calls';
import { nodeId, type Nodes } from '../load/job';
import { quantilesOf } from '../load/recorder';
import { PROCESSES } from '../report/cell';
import { lastTaskOf, now, withWorkflows, type BenchStack, type TaskTimes } from '../bench-stack';
import { CALLERS, closed, inRounds, onStack, type Bench, type Row } from './measure';
import { atHalfLoad, baselineNodes, baselineTarget, freshNodes, measuredNodes, measurementsOf, warm } from './prepare';

/** Where the time goes: the steps of a call, and what it takes of each process. */
export const profile = (bench: Bench): Promise<void> =>
  onStack(bench, { name: 'steps', baseline: true }, [warm, steps, processes]);

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
  'server and API, until the caller has the answer': ['committed', 'answered'],
  'the whole call': ['sent', 'answered'],
  'from the commit to the stream': ['committed', 'inStream'],
};

/**
 * The way of measurements, one after the other: alone, and beside a load of half of the greatest rate. The times in the
 * server are those of the nodes' histories.
 */
const steps = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const follow = async (load: string): Promise<void> => {
    const nodes = await measuredNodes(bench, stack, freshNodes(bench.options.scale.followed));
    const ways = await waysOf(stack, nodes);
    for (const [side, [from, to]] of Object.entries(STEPS)) {
      const { p50, p99 } = quantilesOf(ways.map((way) => way[to] - way[from]));
      bench.note({ section: 'steps', load, side, round: 1, figures: { p50, p99 } });
    }
  };
  await follow('one call at a time');
  await atHalfLoad(bench, stack, (perSecond) => follow(`beside ${perSecond} calls per second`));
};

const waysOf = async (stack: BenchStack, nodes: Nodes): Promise<ReadonlyArray<Way>> => {
  const call = httpCalls(await measurementsOf(stack, nodes), closed(1));
  const ends: Array<Pick<Way, 'sent' | 'answered'>> = [];
  for (let number = 0; number < nodes.count; number += 1) {
    const sent = now();
    const fault = await call(number);
    if (fault !== '') throw new Error(`a call that was to be followed failed: ${fault}`);
    ends.push({ sent, answered: now() });
  }
  const inStream = await entryTimes(stack);
  return withWorkflows(stack, (workflows) =>
    Promise.all(
      ends.map(async (end, number) => {
        const node = nodeId(nodes.set, number);
        return { ...end, ...(await lastTaskOf(workflows, node)), inStream: inStream.get(node) ?? NaN };
      }),
    ),
  );
};

/** The time of the last entry of each node. */
const entryTimes = async ({ redis, stream }: BenchStack): Promise<ReadonlyMap<string, number>> => {
  const client = await createClient({ url: redis }).connect();
  const found = (await client.xRange(stream, '-', '+')) ?? [];
  client.destroy();
  return new Map(found.map(({ id, message }) => [String(message['aggregateId']), Number.parseInt(id, 10)]));
};

/** Processor time of a call, by process: the service beside the baseline. */
const processes = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const [count = 1] = bench.options.scale.spread;
  const nodes = await measuredNodes(bench, stack, freshNodes(count));
  const entities = await baselineNodes(bench, stack, freshNodes(count));
  const both = { section: 'processes', load: `${count} nodes, ${CALLERS} callers`, stack, pattern: closed() };
  const note = ({ figures, ...row }: Row): void => {
    const times = PROCESSES.map((name) => [
      `ms ${name}`,
      ((figures[`cores ${name}`] ?? 0) * 1_000) / (figures['perSecond'] ?? NaN),
    ]);
    bench.note({ ...row, figures: { ...figures, ...Object.fromEntries(times) } });
  };
  await inRounds({ ...bench, note }, [
    { ...both, side: 'baseline', target: baselineTarget('baselineUpdate', stack, entities) },
    { ...both, side: 'service', target: await measurementsOf(stack, nodes) },
  ]);
};
