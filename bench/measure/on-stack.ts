import { startBenchStack, type BenchStack, type StackPlan } from '../stack/bench-stack';
import type { Bench } from './bench';

/** A part of a benchmark that needs a stack. */
export type OnStack = (bench: Bench, stack: BenchStack) => Promise<void>;

/** Brings up a stack, does the parts in turn, and stops it whatever happens. */
export const onStack = async (bench: Bench, plan: StackPlan, parts: ReadonlyArray<OnStack>): Promise<void> => {
  const stack = await startBenchStack(plan, bench.ground);
  try {
    for (const part of parts) await part(bench, stack);
  } finally {
    await stack.stop();
  }
};
