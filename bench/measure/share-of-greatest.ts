import type { HttpTarget, Pace } from '../load/job';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { measure } from './measure';
import { freshNodes, measuredNodes, serviceTarget } from './prepare';

const CALLERS = 64;

/** Measurements of some nodes at a fixed rate. */
interface PacedLoad {
  readonly target: HttpTarget;
  readonly pace: Extract<Pace, { readonly kind: 'paced' }>;
}

/** Measures how many measurements of `count` nodes a second the service can take, and gives the load of `share` of that. */
export const shareOfGreatest = async (
  bench: Bench,
  stack: BenchStack,
  { section, count, share }: { readonly section: string; readonly count: number; readonly share: number },
): Promise<PacedLoad> => {
  const nodes = await measuredNodes(bench, stack, freshNodes(count));
  const target = await serviceTarget('recordMeasurement', stack, nodes);
  const load = `${count} nodes, ${CALLERS} callers`;
  const pace = { kind: 'closed', callers: CALLERS } as const;
  const { figures } = await measure(bench, { section, load, side: 'service', stack, target, pace }, 1);
  const perSecond = Math.max(1, Math.round((figures['perSecond'] ?? 0) * share));
  return { target, pace: { kind: 'paced', perSecond } };
};
