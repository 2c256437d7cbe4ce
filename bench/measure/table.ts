import type { StackPlan } from '../stack/bench-stack';
import type { Section } from '../options';
import type { Bench } from './bench';
import { hot } from './hot';
import { lag } from './lag';
import { memory } from './memory';
import { misses } from './misses';
import { onStack, type OnStack } from './on-stack';
import { warm } from './prepare';
import { reads } from './reads';
import { spread } from './spread';
import { staleness } from './staleness';
import { start } from './start';

/** The main table: each section on a stack that suits it. */
export const table = async (bench: Bench): Promise<void> => {
  const { only, scale } = bench.options;
  const wanted = (section: string): boolean => only.length === 0 || only.includes(section);
  const keeping = (nodes: number) => ({ env: { MAX_CACHED_WORKFLOWS: String(nodes) } });
  type Stack = readonly [StackPlan, ReadonlyArray<OnStack>, Partial<Record<Section, OnStack>>];
  const inTurn: ReadonlyArray<Stack> = [
    [
      { name: 'many', floor: true, ...keeping(2 * Math.max(...scale.spread)) },
      [warm],
      { spread, reads, lag, staleness },
    ],
    [{ name: 'one', floor: true, temporalLimits: 'own' }, [warm], { hot }],
    [{ name: 'memory', ...keeping(scale.cachedNodes) }, [], { memory, misses }],
  ];
  for (const [plan, first, parts] of inTurn) {
    const chosen = Object.entries(parts).flatMap(([section, part]) => (wanted(section) ? [part] : []));
    if (chosen.length > 0) await onStack(bench, plan, [...first, ...chosen]);
  }
  if (wanted('start')) await start(bench);
};
