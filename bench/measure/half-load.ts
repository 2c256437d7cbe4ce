import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../load/start-load';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { jobOf, measure, shareOf } from './measure';
import { freshNodes, serviceTarget, withThresholds } from './prepare';

const CALLERS = 64;
const SHARE = 0.5;
/** Longer than anything that is done beside it. */
const LONGEST_MS = 600_000;

/** What is done beside a load of so many calls a second. */
type Beside = (perSecond: number) => Promise<void>;

/** Does `work` beside measurements of many nodes at half of the greatest rate, which is measured first. Errors: the load ended. */
export const atHalfLoad = async (bench: Bench, stack: BenchStack, work: Beside): Promise<void> => {
  const { warmUpMs, scale } = bench.options;
  const nodes = await withThresholds(bench, stack, freshNodes(scale.spread[0] ?? 1));
  const target = await serviceTarget('recordMeasurement', stack, nodes);
  const greatest = { section: '', load: '', side: '', stack, target };
  const silent = { ...bench, note: () => undefined };
  const most = await measure(silent, { ...greatest, pace: { kind: 'closed', callers: CALLERS } }, 1);
  const perSecond = shareOf(most, SHARE);
  const ending = new AbortController();
  const ground = { ...bench.ground, signal: AbortSignal.any([bench.ground.signal, ending.signal]) };
  const job = jobOf({ target, pace: { kind: 'paced', perSecond }, warmUpMs, windowMs: LONGEST_MS }, stack);
  const load = startLoad(job, ground);
  const ended = load.then(() => {
    throw new Error('the load ended before what is done beside it');
  });
  try {
    await Promise.race([sleep(warmUpMs).then(() => work(perSecond)), ended]);
  } finally {
    ending.abort();
    await ended.catch(() => undefined);
  }
};
