import * as E from 'fp-ts/Either';
import { apiSettings } from '../../process/settings';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { inRounds, type Measurement } from './measure';
import { floorNodes, floorTarget, freshNodes, serviceTarget, withThresholds } from './prepare';

const CALLERS = 64;
/** A batch is asked by few: it asks many nodes by itself. */
const BATCH_CALLERS = 2;

/** Reads of one node each, against queries of entities; and batches. */
export const reads = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const [count = 1] = bench.options.scale.spread;
  const many = await withThresholds(bench, stack, freshNodes(Math.max(...bench.options.scale.spread)));
  const nodes = { ...many, count };
  const entities = await floorNodes(bench, stack, freshNodes(count));
  const pace = { kind: 'closed', callers: CALLERS } as const;
  const section = 'reads';
  const of = async (kind: 'alarmStatus' | 'threshold', side: string, on: BenchStack): Promise<Measurement> => ({
    ...{ section, side, pace, stack: on, load: `GET ${kind === 'threshold' ? kind : 'status'}, ${CALLERS} callers` },
    target: await serviceTarget(kind, on, nodes),
  });
  const batch = async (size: number, side: string, on: BenchStack): Promise<Measurement> => ({
    ...{ section, side, stack: on, load: `batch of ${size}, ${BATCH_CALLERS} callers` },
    pace: { kind: 'closed', callers: BATCH_CALLERS },
    target: { kind: 'batch', base: on.api, tokens: [await on.token('bench')], nodes: many, size },
  });
  const query = floorTarget('floorQuery', stack, entities);
  const memory = takesReadsFromMemory() ? await stack.withApi({ READS: 'memory' }) : undefined;
  await inRounds(bench, [
    { section, load: `GET status, ${CALLERS} callers`, side: 'floor', pace, stack, target: query },
    await of('alarmStatus', 'service', stack),
    await of('threshold', 'service', stack),
    {
      ...{ section, side: 'service', stack, pace, load: `GET status of one node, ${CALLERS} callers` },
      target: await serviceTarget('alarmStatus', stack, { ...nodes, count: 1 }),
    },
    await batch(100, 'service', stack),
    ...(memory === undefined
      ? []
      : [
          await of('alarmStatus', 'READS=memory', memory),
          await batch(100, 'READS=memory', memory),
          await batch(1_000, 'READS=memory', memory),
        ]),
  ]);
};

const takesReadsFromMemory = (): boolean =>
  E.isRight(apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants', READS: 'memory' }));
