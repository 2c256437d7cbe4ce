import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { inRounds, type Measurement } from './measure';
import { floorNodes, floorTarget, freshNodes, measuredNodes, serviceTarget, warmBy } from './prepare';

const CALLERS = 64;
/** A batch asks many nodes by itself, and how long one takes is the question. */
const BATCH_CALLERS = 1;

/** Reads of one node each, against queries of entities; and batches. */
export const reads = (bench: Bench, stack: BenchStack): Promise<void> =>
  stack.withApi({ READS: 'memory' }, async (memory) => {
    const [count = 1] = bench.options.scale.spread;
    const many = await measuredNodes(bench, stack, freshNodes(Math.max(...bench.options.scale.spread)));
    const nodes = { ...many, count };
    const entities = await floorNodes(bench, stack, freshNodes(count));
    const pace = { kind: 'closed', callers: CALLERS } as const;
    const section = 'reads';
    const of = async (kind: 'alarmStatus' | 'threshold', side: string, on: BenchStack): Promise<Measurement> => ({
      ...{ section, side, pace, stack: on, load: `GET ${kind === 'threshold' ? kind : 'status'}, ${CALLERS} callers` },
      target: await serviceTarget(kind, on, nodes),
    });
    const batch = async (size: number, side: string, on: BenchStack): Promise<Measurement> => ({
      ...{ section, side, stack: on, load: `batch of ${size}, ${BATCH_CALLERS} caller` },
      pace: { kind: 'closed', callers: BATCH_CALLERS },
      target: { kind: 'batch', base: on.api, tokens: [await on.token('bench')], nodes: many, size },
    });
    const query = floorTarget('floorQuery', stack, entities);
    await warmBy(bench, memory, await serviceTarget('alarmStatus', memory, nodes));
    await inRounds(bench, [
      { section, load: `GET status, ${CALLERS} callers`, side: 'floor', pace, stack, target: query },
      await of('alarmStatus', 'service', stack),
      await of('threshold', 'service', stack),
      {
        ...{ section, side: 'service', stack, pace, load: `GET status of one node, ${CALLERS} callers` },
        target: await serviceTarget('alarmStatus', stack, { ...nodes, count: 1 }),
      },
      await batch(100, 'service', stack),
      await of('alarmStatus', 'READS=memory', memory),
      await batch(100, 'READS=memory', memory),
      await batch(1_000, 'READS=memory', memory),
    ]);
  });
