import { setTimeout as sleep } from 'node:timers/promises';
import { useOf } from '../load/machine-use';
import type { Section } from '../options';
import type { BenchStack, StackPlan } from '../bench-stack';
import { onStack, type Bench, type OnStack } from './measure';
import { freshNodes, measuredNodes, warm } from './prepare';
import { reads, staleness } from './reads';
import { start } from './start';
import { hot, lag, misses, spectra, spread, spreadOnDefaults } from './writes';

/** The main table: each section on a stack that suits it. */
export const table = async (bench: Bench): Promise<void> => {
  const { only, scale } = bench.options;
  const wanted = (section: string): boolean => only.length === 0 || only.includes(section);
  const caching = (nodes: number) => ({ env: { MAX_CACHED_WORKFLOWS: String(nodes) } });
  const keepingAll = { baseline: true, ...caching(2 * Math.max(...scale.spread)) };
  type Stack = readonly [StackPlan, ReadonlyArray<OnStack>, Partial<Record<Section, OnStack>>];
  const inTurn: ReadonlyArray<Stack> = [
    [{ name: 'many', ...keepingAll }, [warm], { spread, spectra }],
    [{ name: 'reads', ...keepingAll }, [warm], { reads, lag, staleness }],
    [{ name: 'one', baseline: true, temporalLimits: 'own' }, [warm], { spread: spreadOnDefaults, hot }],
    [{ name: 'memory', ...caching(scale.cachedNodes) }, [], { memory, misses }],
  ];
  for (const [plan, first, sections] of inTurn) {
    const chosen = Object.entries(sections).flatMap(([section, step]) => (wanted(section) ? [step] : []));
    if (chosen.length > 0) await onStack(bench, plan, [...first, ...chosen]);
  }
  if (wanted('start')) await start(bench);
};

/** What a worker needs for nodes that it caches, each with a threshold and a measurement. */
const memory = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { cachedNodes } = bench.options.scale;
  // What the first nodes cost, the code that they warm up included, is not what a node costs.
  const first = freshNodes(Math.ceil(cachedNodes / 10));
  await measuredNodes(bench, stack, first);
  const before = await steadyBytes(stack);
  const nodes = freshNodes(cachedNodes - first.count);
  await measuredNodes(bench, stack, nodes);
  const after = await steadyBytes(stack);
  const figures = { before, after, 'bytes a node': (after - before) / nodes.count };
  const load = `${first.count} and ${cachedNodes} nodes`;
  bench.note({ section: 'memory', load, side: 'service', round: 1, figures });
};

/** V8 gives memory back when a process has been idle for a while. */
const STEADY_WITHIN_MS = 20_000;
const STEADY_MS = 5_000;

/** Resident bytes of the workers, once they fall no further. */
const steadyBytes = async (stack: BenchStack): Promise<number> => {
  const end = Date.now() + STEADY_WITHIN_MS;
  let [least, since] = [Infinity, Date.now()];
  while (Date.now() < end && Date.now() - since < STEADY_MS) {
    const bytes = useOf(stack).resident['worker'] ?? 0;
    if (bytes < least * 0.99) [least, since] = [bytes, Date.now()];
    await sleep(250);
  }
  return least;
};
