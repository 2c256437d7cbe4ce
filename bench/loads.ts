import { raisedLimits } from '../stack/servers';
import { baseline as entities, service as nodes, type Calls } from './calls';
import { CALLERS, type LoadRow, type Side } from './measure';
import type { BenchOptions } from './options';
import type { StackPlan } from './stack';
import { lag, memory, newRuns } from './watch';

/** A stack, and what is measured on it in turn: loads, and what is none. */
interface StackRow {
  readonly stack: StackPlan;
  readonly rows: ReadonlyArray<LoadRow | { readonly section: string; readonly measure: typeof memory }>;
}

const baseline: Side = { side: 'baseline', calls: entities.update };
const service: Side = { side: 'service', calls: nodes.calm };

/** So few nodes that each continues as new about every minute. */
const SOAK_NODES = 100;
/** Runs that the server caches in a soak, closed ones among them: so few that the cache is full within the first minutes. */
const CACHED_RUNS = 1_000;

export const loads = ({ scale, soakMinutes }: BenchOptions): ReadonlyArray<StackRow> => {
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
        // Time from the commit of a change to its entry in the stream.
        { section: 'lag', ...atHalf, sides: [{ ...service, watch: lag }] },
        // Few or all measurements change the status, against updates of as many entities.
        ...scale.spread.map((count) => ({
          ...{ section: 'spread', nodes: count },
          sides: [
            baseline,
            { ...service, before },
            { side: 'flapping', calls: nodes.flapping, before },
            { side: 'baseline, flapping', calls: entities.flap },
          ],
        })),
      ],
    },
    {
      stack: { name: 'reads', ...keepingAll },
      // As many entities as nodes: a call costs a worker more, the more it keeps.
      rows: [{ section: 'reads', nodes: most, sides: readSides(fewest) }],
    },
    {
      stack: { name: 'cached-reads', env: { ...keepingAll.env, READS: 'cache' } },
      rows: [{ section: 'reads', nodes: most, sides: cachedReadSides(fewest) }],
    },
    {
      // The server's default limits; the first section has its baseline there, too.
      stack: { name: 'one', baseline: true, dynamicConfig: {} },
      rows: [
        ...scale.spread.map((count) => ({
          ...{ section: 'spread', nodes: count },
          sides: [{ ...baseline, side: 'baseline, defaults' }],
        })),
        // All callers at one node, and at one entity.
        ...scale.hotCallers.map((callers) => ({
          ...{ section: 'hot', nodes: 1 },
          sides: [baseline, service].map((side) => ({ ...side, callers, watch: newRuns })),
        })),
      ],
    },
    {
      stack: { name: 'memory', ...caching(scale.cachedNodes) },
      rows: [
        { section: 'memory', measure: memory },
        // Many more nodes than a worker keeps: those that it must replay, and some that it has cached.
        {
          ...{ section: 'misses', nodes: scale.missNodes },
          // Taken in turn, a node is always the one that was evicted longest ago.
          load: `${scale.missNodes} nodes in turn, none cached`,
          sides: [service],
        },
        {
          ...{ section: 'misses', nodes: Math.ceil(scale.cachedNodes / 2) },
          load: `${Math.ceil(scale.cachedNodes / 2)} nodes, all of them cached`,
          sides: [{ ...service, before: nodes.calm }],
        },
      ],
    },
    // Each side by itself: what waits for work asks for it, and wakes the server.
    { stack: { name: 'cost', ...caching(2 * most) }, rows: costRows(fewest, scale.paces, service) },
    {
      stack: { name: 'cost-baseline', workers: 0, baseline: true },
      rows: costRows(fewest, scale.paces, baseline),
    },
    // Ever more nodes, by one worker and by several. Nodes that do not fit are another question (`misses`).
    ...scale.workers.map((workers) => ({
      stack: { name: `growth-${workers}`, workers, ...caching(2 * Math.max(...scale.growth)) },
      rows: scale.growth.map((count) => ({
        ...{ section: 'growth', nodes: count },
        sides: [{ ...service, side: workers === 1 ? '1 worker' : `${workers} workers` }],
      })),
    })),
    {
      // Many minutes at a share of the rate that the service can take; half of the nodes flap.
      stack: { name: 'soak', dynamicConfig: { ...raisedLimits(), 'history.hostLevelCacheMaxSize': CACHED_RUNS } },
      rows: [
        {
          ...{ section: 'soak', nodes: SOAK_NODES, share: 0.7, minutes: soakMinutes },
          sides: [{ side: 'service', calls: nodes.calmAndFlapping, watch: newRuns }],
        },
      ],
    },
  ];
};

/** What a value costs at each pace, and without a pause. */
export const costRows = (count: number, paces: ReadonlyArray<number>, side: Side): ReadonlyArray<LoadRow> => [
  ...paces.map((perSecond) => ({
    ...{ section: 'cost', nodes: count, load: perSecond === 0 ? 'idle' : `${perSecond} a second` },
    ...{ perSecond, sides: [side] },
  })),
  { section: 'cost', nodes: count, load: `${CALLERS} callers`, sides: [side] },
];

const readsBy = (load: string, calls: Calls) => ({ load: `${load}, ${CALLERS} callers`, calls });
const batchOf = (size: number) => ({ load: `batch of ${size}, 1 caller`, calls: nodes.batch(size), callers: 1 });
const [status, threshold] = [readsBy('GET status', nodes.status), readsBy('GET threshold', nodes.threshold)];

/** Reads of `count` nodes, one each, beside queries of as many entities; and batches of all nodes, one at a time. */
const readSides = (count: number): ReadonlyArray<Side> => [
  { side: 'baseline', count, ...status, calls: entities.query },
  { side: 'service', count, ...status },
  { side: 'service', count, ...threshold },
  { side: 'service', count: 1, ...readsBy('GET status of one node', nodes.status) },
  { side: 'service', ...batchOf(100) },
];

/** The same reads where the API has a cache, which each node fills first. */
const cachedReadSides = (count: number): ReadonlyArray<Side> =>
  [{ count, ...status }, batchOf(100), batchOf(1_000)].map((reads) => ({
    ...{ side: 'READS=cache', before: nodes.status },
    ...reads,
  }));
