import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../load/start-load';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { jobOf } from './measure';
import { shareOfGreatest } from './share-of-greatest';

const SHARE = 0.5;
/** Longer than anything that is done beside it. */
const LONGEST_MS = 600_000;

/** What is done beside a load of so many calls a second. */
type Beside = (perSecond: number) => Promise<void>;

/** Does `work` beside measurements of many nodes at half of the greatest rate, which is measured first. Errors: the load ended. */
export const atHalfLoad = async (bench: Bench, stack: BenchStack, work: Beside): Promise<void> => {
  const { warmUpMs, scale } = bench.options;
  const silent = { ...bench, note: () => undefined };
  const [count = 1] = scale.spread;
  const half = await shareOfGreatest(silent, stack, { section: 'half load', count, share: SHARE });
  const ending = new AbortController();
  const ground = { ...bench.ground, signal: AbortSignal.any([bench.ground.signal, ending.signal]) };
  const job = jobOf({ ...half, warmUpMs, windowMs: LONGEST_MS }, stack);
  const ended = startLoad(job, ground).then(() => {
    throw new Error('the load ended before what is done beside it');
  });
  try {
    await Promise.race([sleep(warmUpMs).then(() => work(half.pace.perSecond)), ended]);
  } finally {
    ending.abort();
    await ended.catch(() => undefined);
  }
};
