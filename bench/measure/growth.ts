import { useOf } from '../load/machine-use';
import type { BenchStack } from '../bench-stack';
import { CALLERS, closed, inRounds, onStack, type Bench, type Figures } from './measure';
import { freshNodes, measuredNodes, measurementsOf, warm } from './prepare';
import { countPublications } from './writes';

/** Measurements of ever more nodes, by one worker and by several. */
export const growth = async (bench: Bench): Promise<void> => {
  const { growth: counts, workers: numbers } = bench.options.scale;
  for (const workers of numbers) {
    const side = workers === 1 ? '1 worker' : `${workers} workers`;
    // Nodes that do not fit are another question (`misses`).
    const env = { MAX_CACHED_WORKFLOWS: String(2 * Math.max(...counts)) };
    const measureAll = async (_bench: Bench, stack: BenchStack): Promise<void> => {
      for (const count of counts) {
        const nodes = await measuredNodes(bench, stack, freshNodes(count));
        const target = await measurementsOf(stack, nodes);
        const both = { section: 'growth', load: `${count} nodes, ${CALLERS} callers`, side, stack };
        await inRounds(bench, [{ ...both, target, pattern: closed(), beside: () => watchDatabase(stack) }]);
      }
    };
    await onStack(bench, { name: `growth-${workers}`, workers, env }, [warm, measureAll]);
  }
};

/** From now on: bytes by which the database grew a call; each call has an event. */
const watchDatabase = async (stack: BenchStack): Promise<() => Promise<Figures>> => {
  const counted = await countPublications(stack);
  const before = useOf(stack).fileBytes;
  return async () => {
    const { events = 0 } = await counted();
    return { 'bytes a call': (useOf(stack).fileBytes - before) / Math.max(1, events) };
  };
};
