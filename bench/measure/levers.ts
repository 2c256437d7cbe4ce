import { randomUUID } from 'node:crypto';
import { entries } from '../../scripts/start/entries';
import type { BenchStack, StackPlan } from '../stack/bench-stack';
import type { Nodes } from '../load/job';
import type { Bench } from './bench';
import { measure, msACall } from './measure';
import { freshNodes, measuredNodes, serviceTarget, warm } from './prepare';
import type { Figures } from './row';
import { onStack } from './on-stack';

/** One thing that differs from the default. */
interface Lever extends Omit<StackPlan, 'name'> {
  /** Tokens that were never seen before, one a call; absent: one token for all. */
  readonly freshTokens?: number;
}

const levers: Readonly<Record<string, Lever>> = {
  'PUSH_EVENTS=off': { env: { PUSH_EVENTS: 'off' } },
  'PUSH_EVENTS=off, no eager activities': {
    env: { PUSH_EVENTS: 'off' },
    dynamicConfig: { 'system.enableActivityEagerExecution': false },
  },
  'with the promise hook': { worker: ['dist/worker/main.js'] },
  "the SDK's own retries of calls": { api: ['--require', './dist/bench/levers/sdk-retries.js', ...entries.api] },
  'with hooked promises in the API': { api: ['--require', './dist/bench/levers/hooked-promises.js', ...entries.api] },
  '10 workflow task pollers': { env: { WORKFLOW_TASK_POLLERS: '10' } },
  '100 workflow tasks at once': { env: { MAX_CONCURRENT_WORKFLOW_TASKS: '100' } },
  "Temporal's own limits": { temporalLimits: 'own' },
  '4 partitions of the task queue': {
    dynamicConfig: { 'matching.numTaskqueueReadPartitions': 4, 'matching.numTaskqueueWritePartitions': 4 },
  },
  'GODEBUG=adaptivestackstart=1': { env: { GODEBUG: 'adaptivestackstart=1' } },
  'GOGC=400': { env: { GOGC: '400' } },
  "the system's malloc": { env: { LD_PRELOAD: undefined } },
  '2 workers': { workers: 2 },
  'LOG_LEVEL=warn': { env: { LOG_LEVEL: 'warn' } },
  'a new token each call': { freshTokens: 6_000 },
};

/**
 * Each lever on a stack of its own, in turn with a default that is as young: measurements of many nodes, and of one. `only`
 * takes parts of names.
 */
export const measureLevers = async (bench: Bench): Promise<void> => {
  const { only } = bench.options;
  const chosen = Object.entries(levers).filter(
    ([name]) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  for (const [name, lever] of chosen) {
    bench.say(name);
    await onStack(bench, { name: folderName(`default beside ${name}`) }, [
      async (_bench, young) => {
        const normal = await prepared(bench, 'default', {}, young);
        await onStack(bench, { ...lever, name: folderName(name) }, [
          async (_same, stack) => {
            await compare(bench, normal, await prepared(bench, name, lever, stack));
          },
        ]);
      },
    ]);
  }
};

const folderName = (title: string): string => title.replaceAll(/\W+/gu, '-');

interface Variant extends Lever {
  readonly name: string;
  readonly stack: BenchStack;
  readonly loads: ReadonlyArray<{ readonly load: string; readonly callers: number; readonly nodes: Nodes }>;
}

const prepared = async (bench: Bench, name: string, lever: Lever, stack: BenchStack): Promise<Variant> => {
  await warm(bench, stack);
  const [count = 1] = bench.options.scale.spread;
  const of = async (callers: number, nodes: number) => ({
    load: `${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${callers} callers`,
    callers,
    nodes: await measuredNodes(bench, stack, freshNodes(nodes)),
  });
  return { ...lever, name, stack, loads: [await of(64, count), await of(16, 1)] };
};

/**
 * Both in turn, under the lever's name, since the default is measured again with each. A round before the first counts for
 * nothing: what V8 had compiled of the default it gave up while the other stack was prepared.
 */
const compare = async (bench: Bench, normal: Variant, variant: Variant): Promise<void> => {
  for (let round = 0; round <= bench.options.rounds; round += 1) {
    const inTurn = round % 2 === 1 ? [normal, variant] : [variant, normal];
    const order = round === 0 ? [normal] : inTurn;
    for (const place of normal.loads.keys()) {
      for (const { name, stack, loads, freshTokens = 0 } of order) {
        const chosen = loads[place];
        if (chosen === undefined) continue;
        const target = await serviceTarget('recordMeasurement', stack, chosen.nodes);
        const tokens = await Promise.all(Array.from({ length: freshTokens }, () => stack.token(randomUUID())));
        await measure(
          {
            ...bench,
            note: (row) => {
              if (round > 0) bench.note({ ...row, figures: { ...row.figures, ...costOf(row.figures) } });
            },
          },
          {
            ...{ section: 'levers', load: `${chosen.load} [${variant.name}]`, side: name, stack },
            target: 'tokens' in target && tokens.length > 0 ? { ...target, tokens } : target,
            pace: { kind: 'closed', callers: chosen.callers },
          },
          round,
        );
      }
    }
  }
};

/** Time of all processors that a call took: other programs lengthen it less than they do the clock's. */
const costOf = (figures: Figures): Figures => ({
  'cpu a call': ['api', 'temporal', 'worker', 'redis'].reduce((sum, part) => sum + msACall(figures, part), 0),
});
