import { raisedLimits } from '../stack/servers';
import { baseline as entities, callsOfPreviousRelease, service as nodes, type Calls } from './calls';
import { CALLERS, type LoadRow, type Side } from './measure';
import type { BenchOptions } from './options';
import type { StackPlan } from './stack';
import { watchPublishLag, measureMemory, countNewRuns } from './watch';

/** A stack (servers and service), and what is measured on it in turn: loads, or a measurement with its own function. */
interface StackRow {
  readonly stack: StackPlan;
  readonly rows: ReadonlyArray<LoadRow | { readonly section: string; readonly measure: typeof measureMemory }>;
}

const baseline: Side = { side: 'baseline', calls: entities.update };
const service: Side = { side: 'service', calls: nodes.calm };

/** Nodes under load in a soak, which lasts many minutes. They are so few that each continues as new about every minute. */
const SOAK_NODES = 100;
/** How many runs, open or closed, Temporal's server caches in a soak: so few that its cache is full within minutes. */
const CACHED_RUNS = 1_000;

export const loads = ({ scale, soakMinutes, before: checkout }: BenchOptions): ReadonlyArray<StackRow> => {
  const [fewest] = scale.spread;
  const most = Math.max(...scale.spread);
  const caching = (count: number) => ({ env: { MAX_CACHED_WORKFLOWS: String(count) } });
  const keepingAll = { baseline: true, ...caching(2 * most) };
  const atHalf = { nodes: fewest, share: 0.5, load: `${fewest} nodes, at half of that rate` };
  const before = nodes.outOfDanger;
  return [
    {
      stack: { name: 'many', ...keepingAll },
      rows: [
        // This measures the time from the commit of a change to its entry in the stream.
        { section: 'lag', ...atHalf, sides: [{ ...service, watch: watchPublishLag }] },
        // Compares the service with as many workflows of the baseline: few measurements change the status, or all do.
        ...scale.spread.map((count) => ({
          section: 'spread',
          nodes: count,
          sides: [
            baseline,
            { ...service, before },
            // The first change of a node that begins to flap is written at once, and belongs to no lasting load.
            { side: 'flapping', calls: nodes.flapping, before: nodes.flapping },
            { side: 'baseline, flapping', calls: entities.flap },
          ],
        })),
      ],
    },
    {
      stack: { name: 'reads', ...keepingAll },
      // The baseline has as many workflows as there are nodes: a call costs a worker more if the worker keeps more runs.
      rows: [{ section: 'reads', nodes: most, sides: readSides(fewest) }],
    },
    {
      stack: { name: 'cached-reads', env: { ...keepingAll.env, READS: 'cache' } },
      rows: [{ section: 'reads', nodes: most, sides: cachedReadSides(fewest) }],
    },
    {
      // This stack has Temporal's default limits. The baseline of the section `spread` is measured with them, too.
      stack: { name: 'one', baseline: true, dynamicConfig: {} },
      rows: [
        ...scale.spread.map((count) => ({
          section: 'spread',
          nodes: count,
          sides: [{ ...baseline, side: 'baseline, defaults' }],
        })),
        // All callers call a single node, or a single workflow of the baseline.
        ...scale.hotCallers.map((callers) => ({
          section: 'hot',
          nodes: 1,
          sides: [baseline, service].map((side) => ({ ...side, callers, watch: countNewRuns })),
        })),
      ],
    },
    {
      stack: { name: 'memory', ...caching(scale.cachedNodes) },
      rows: [
        { section: 'memory', measure: measureMemory },
        // This compares nodes that the worker must replay, because they exceed its cache, with nodes in its cache.
        {
          section: 'misses',
          nodes: scale.missNodes,
          // The nodes are called in turn, so each one was evicted from the cache before its next call.
          load: `${scale.missNodes} nodes in turn, none cached`,
          sides: [service],
        },
        {
          section: 'misses',
          nodes: Math.ceil(scale.cachedNodes / 2),
          load: `${Math.ceil(scale.cachedNodes / 2)} nodes, all of them cached`,
          sides: [{ ...service, before: nodes.calm }],
        },
      ],
    },
    // Service and baseline have a stack each. On one stack, even an idle worker would poll the server, and so cost it time.
    { stack: { name: 'cost', ...caching(2 * most) }, rows: costRows(fewest, scale.paces, service) },
    {
      stack: { name: 'cost-baseline', workers: 0, baseline: true },
      rows: costRows(fewest, scale.paces, baseline),
    },
    {
      stack: { name: 'compare', ...keepingAll, ...(checkout !== undefined && { before: checkout }) },
      rows: compareRows(fewest),
    },
    // The number of nodes grows, with one worker and with several. All nodes fit into the workers' caches; the section `misses`
    // measures nodes that do not.
    ...scale.workers.map((workers) => ({
      stack: { name: `growth-${workers}`, workers, ...caching(2 * Math.max(...scale.growth)) },
      rows: scale.growth.map((count) => ({
        section: 'growth',
        nodes: count,
        sides: [{ ...service, side: workers === 1 ? '1 worker' : `${workers} workers` }],
      })),
    })),
    {
      // The service runs for many minutes at a fixed share of its greatest rate. Half of the nodes change their status with
      // each measurement.
      stack: { name: 'soak', dynamicConfig: { ...raisedLimits(), 'history.hostLevelCacheMaxSize': CACHED_RUNS } },
      rows: [
        {
          section: 'soak',
          nodes: SOAK_NODES,
          share: 0.7,
          minutes: soakMinutes,
          sides: [{ side: 'service', calls: nodes.calmAndFlapping, watch: countNewRuns }],
        },
      ],
    },
  ];
};

/** Compares the service with the previous release and, except for batches, the baseline, under each kind of load. */
const compareRows = (count: number): ReadonlyArray<LoadRow> => {
  const before = (calls: Calls, side = 'before'): Side => ({ side, calls: callsOfPreviousRelease(calls) });
  const both = (calls: Calls): ReadonlyArray<Side> => [{ side: 'service', calls }, before(calls)];
  const section = 'compare';
  return [
    { section, nodes: count, sides: [baseline, ...both(nodes.calm)] },
    {
      section,
      nodes: count,
      load: `${count} nodes that flap`,
      sides: [{ ...baseline, calls: entities.flap }, ...both(nodes.flapping)],
    },
    { section, nodes: 1, sides: [baseline, ...both(nodes.calm)].map((side) => ({ ...side, callers: 16 })) },
    {
      section,
      nodes: count,
      load: 'batch of 100, 4 callers',
      sides: both(nodes.batch(100)).map((side) => ({ ...side, callers: 4 })),
    },
  ];
};

/** Measures the processor time per call at each pace (calls per second; 0 is idle), and at the greatest rate. */
export const costRows = (count: number, paces: ReadonlyArray<number>, side: Side): ReadonlyArray<LoadRow> => [
  ...paces.map((perSecond) => ({
    section: 'cost',
    nodes: count,
    load: perSecond === 0 ? 'idle' : `${perSecond} per second`,
    perSecond,
    sides: [side],
  })),
  { section: 'cost', nodes: count, load: `${CALLERS} callers`, sides: [side] },
];

const readsBy = (load: string, calls: Calls) => ({ load: `${load}, ${CALLERS} callers`, calls });
const batchOf = (size: number) => ({ load: `batch of ${size}, 1 caller`, calls: nodes.batch(size), callers: 1 });
const [status, threshold] = [readsBy('GET status', nodes.status), readsBy('GET threshold', nodes.threshold)];

/**
 * Service: reads of `count` nodes one by one, of a single node, and of batches out of all nodes. Baseline: queries of `count`
 * workflows.
 */
const readSides = (count: number): ReadonlyArray<Side> => [
  { side: 'baseline', count, ...status, calls: entities.query },
  { side: 'service', count, ...status },
  { side: 'service', count, ...threshold },
  { side: 'service', count: 1, ...readsBy('GET status of one node', nodes.status) },
  { side: 'service', ...batchOf(100) },
];

/** Reads from the API's cache. Before each round, one read of each node fills the cache. */
const cachedReadSides = (count: number): ReadonlyArray<Side> =>
  [{ count, ...status }, batchOf(100), batchOf(1_000)].map((reads) => ({
    side: 'READS=cache',
    before: nodes.status,
    ...reads,
  }));
