import { statSync } from 'node:fs';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { countPublications } from './count-publications';
import { inRounds } from './measure';
import { freshNodes, measuredNodes, serviceTarget, warm } from './prepare';
import type { Figures } from './row';
import { onStack } from './on-stack';

const CALLERS = 64;
const WORKERS = [1, 2];

/** Measurements of ever more nodes, by one worker and by two. */
export const growth = async (bench: Bench): Promise<void> => {
  for (const workers of WORKERS) {
    const side = workers === 1 ? '1 worker' : `${workers} workers`;
    // Nodes that do not fit are another question (`misses`).
    const env = { MAX_CACHED_WORKFLOWS: String(2 * Math.max(...bench.options.scale.growth)) };
    await onStack(bench, { name: `growth-${workers}`, workers, env }, [
      warm,
      async (_bench, stack) => {
        for (const count of bench.options.scale.growth) {
          const nodes = await measuredNodes(bench, stack, freshNodes(count));
          const target = await serviceTarget('recordMeasurement', stack, nodes);
          const pace = { kind: 'closed', callers: CALLERS } as const;
          const both = { section: 'growth', load: `${count} nodes, ${CALLERS} callers`, side, stack };
          await inRounds(bench, [{ ...both, target, pace, beside: () => watchDatabase(stack) }]);
        }
      },
    ]);
  }
};

/** From now on: bytes by which the database grew a call; each call has an event. */
const watchDatabase = async (stack: BenchStack): Promise<() => Promise<Figures>> => {
  const counted = await countPublications(stack);
  const before = sizeOf(stack.files);
  return async () => {
    const { events = 0 } = await counted();
    return { 'bytes a call': (sizeOf(stack.files) - before) / Math.max(1, events) };
  };
};

const sizeOf = (files: ReadonlyArray<string>): number =>
  files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
