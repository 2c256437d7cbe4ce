import { setTimeout as sleep } from 'node:timers/promises';
import { httpCalls } from '../load/http-calls';
import { nodeId, type Nodes } from '../load/job';
import { quantilesOf } from '../load/recorder';
import { lastTaskOf, now, withWorkflows, type BenchStack } from '../bench-stack';
import { CALLERS, closed, inRounds, type Bench, type Measurement } from './measure';
import {
  atHalfLoad,
  baselineNodes,
  baselineTarget,
  freshNodes,
  measuredNodes,
  measurementsOf,
  serviceTarget,
  warmBy,
} from './prepare';

/** Reads of one node each, compared with queries of entities; and batches, one at a time. */
export const reads = (bench: Bench, stack: BenchStack): Promise<void> =>
  stack.withApi({ READS: 'cache' }, async (memory) => {
    const [count = 1] = bench.options.scale.spread;
    const many = await measuredNodes(bench, stack, freshNodes(Math.max(...bench.options.scale.spread)));
    const nodes = { ...many, count };
    // As many as nodes: a call costs a worker more, the more it keeps.
    const entities = { ...(await baselineNodes(bench, stack, freshNodes(many.count))), count };
    const section = 'reads';
    const of = async (kind: 'alarmStatus' | 'threshold', side: string, on: BenchStack): Promise<Measurement> => ({
      ...{ section, side, pattern: closed(), stack: on },
      load: `GET ${kind === 'threshold' ? kind : 'status'}, ${CALLERS} callers`,
      target: await serviceTarget(kind, on, nodes),
    });
    const batch = async (size: number, side: string, on: BenchStack): Promise<Measurement> => ({
      ...{ section, side, pattern: closed(1), stack: on, load: `batch of ${size}, 1 caller` },
      target: { kind: 'batch', base: on.api, tokens: [await on.token('bench')], nodes: many, size },
    });
    await warmBy(bench, memory, await serviceTarget('alarmStatus', memory, nodes));
    const status = await of('alarmStatus', 'service', stack);
    await inRounds(bench, [
      { ...status, side: 'baseline', target: baselineTarget('baselineQuery', stack, entities) },
      status,
      await of('threshold', 'service', stack),
      {
        ...status,
        load: `GET status of one node, ${CALLERS} callers`,
        target: await serviceTarget('alarmStatus', stack, { ...nodes, count: 1 }),
      },
      await batch(100, 'service', stack),
      await of('alarmStatus', 'READS=cache', memory),
      await batch(100, 'READS=cache', memory),
      await batch(1_000, 'READS=cache', memory),
    ]);
  });

const POLL_MS = 1;
const PATIENCE_MS = 10_000;

/**
 * How old answers from the read cache are: measurements go through one API, and another one with `READS=cache`, which learns
 * of them only by the stream, is read all the while.
 */
export const staleness = (bench: Bench, stack: BenchStack): Promise<void> =>
  stack.withApi({ READS: 'cache' }, async (reader) => {
    const nodes = await measuredNodes(bench, stack, freshNodes(bench.options.scale.followed));
    await warmBy(bench, reader, await serviceTarget('alarmStatus', reader, nodes));
    await atHalfLoad(bench, stack, async (perSecond) => {
      const ages = await agesOf(stack, reader, nodes);
      bench.note({
        ...{ section: 'staleness', load: `beside ${perSecond} measurements per second`, side: 'READS=cache', round: 1 },
        figures: { changes: ages.length, ...quantilesOf(ages) },
      });
    });
  });

/** Changes the status of each node once; the times (ms) in which `reader` answered with the old one. */
const agesOf = async (stack: BenchStack, reader: BenchStack, nodes: Nodes): Promise<ReadonlyArray<number>> => {
  const write = httpCalls(await measurementsOf(stack, nodes, [1]), closed(1));
  const headers = { Authorization: `Bearer ${await stack.token('bench')}` };
  const ages: number[] = [];
  await withWorkflows(stack, async (workflows) => {
    for (let place = 0; place < nodes.count; place += 1) {
      const node = nodeId(nodes.set, place);
      const url = `${reader.api}/v1/alarm-status/${node}`;
      const written = async (): Promise<void> => {
        const fault = await write(place);
        if (fault !== '') throw new Error(`a measurement that was to be followed failed: ${fault}`);
      };
      const [asked] = await Promise.all([lastOldAnswer(async () => (await fetch(url, { headers })).text()), written()]);
      ages.push(Math.max(0, asked - (await lastTaskOf(workflows, node)).committed));
    }
  });
  return ages;
};

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
