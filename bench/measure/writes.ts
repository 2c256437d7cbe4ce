import { createClient } from 'redis';
import { workflowIdOf } from '../../workflows/messages';
import { nodeId } from '../load/job';
import { quantilesOf } from '../load/recorder';
import { withWorkflows, type BenchStack } from '../bench-stack';
import { CALLERS, closed, inRounds, measure, type Bench, type Figures } from './measure';
import {
  baselineNodes,
  baselineTarget,
  FLAPPING,
  NEVER,
  freshNodes,
  measuredNodes,
  configuredNodes,
  once,
  measurementsOf,
  serviceTarget,
  shareOfGreatest,
} from './prepare';

/** Measurements of many nodes, of which few or all change the status, against updates of as many entities. */
export const spread = async (bench: Bench, stack: BenchStack): Promise<void> => {
  for (const count of bench.options.scale.spread) {
    const nodes = await measuredNodes(bench, stack, freshNodes(count));
    const entities = await baselineNodes(bench, stack, freshNodes(count));
    const both = { section: 'spread', load: `${count} nodes, ${CALLERS} callers`, stack, pattern: closed() };
    const beside = () => countPublications(stack);
    const outOfDanger = await measurementsOf(stack, nodes, NEVER);
    const before = () => once(bench, stack, outOfDanger);
    await inRounds(bench, [
      { ...both, side: 'baseline', target: baselineTarget('baselineUpdate', stack, entities) },
      { ...both, side: 'service', target: await measurementsOf(stack, nodes), before, beside },
      { ...both, side: 'flapping', target: await measurementsOf(stack, nodes, FLAPPING), before, beside },
      { ...both, side: 'baseline, flapping', target: baselineTarget('baselineFlap', stack, entities) },
    ]);
  }
};

/** The baseline alone, on a server's default settings. */
export const spreadOnDefaults = async (bench: Bench, stack: BenchStack): Promise<void> => {
  for (const count of bench.options.scale.spread) {
    const target = baselineTarget('baselineUpdate', stack, await baselineNodes(bench, stack, freshNodes(count)));
    const load = `${count} nodes, ${CALLERS} callers`;
    await inRounds(bench, [{ section: 'spread', load, side: 'baseline, defaults', stack, target, pattern: closed() }]);
  }
};

const SPECTRUM_NODES = 100;
const SPECTRUM_LINES = 3_200;
/** What a spectrum of so many lines takes in a history: base64 of four bytes a line, and its other members. */
const SPECTRUM_BYTES = Math.ceil((SPECTRUM_LINES * 4 * 4) / 3) + 250;
const SPECTRUM_CALLERS = 32;

/** Spectra that rate ten bands and four HALs, against updates that carry as many bytes. */
export const spectra = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const nodes = freshNodes(SPECTRUM_NODES);
  const thresholds = await serviceTarget('setSpectrumThreshold', stack, nodes);
  await once(bench, stack, thresholds);
  const entities = await baselineNodes(bench, stack, nodes);
  const load = `spectra of ${SPECTRUM_LINES} lines, ${SPECTRUM_CALLERS} callers`;
  const both = { section: 'spectra', load, stack, pattern: closed(SPECTRUM_CALLERS) };
  await inRounds(bench, [
    { ...both, side: 'baseline', target: baselineTarget('baselineUpdate', stack, entities, SPECTRUM_BYTES) },
    { ...both, side: 'service', target: { ...thresholds, kind: 'recordSpectrum', lines: SPECTRUM_LINES } },
  ]);
};

/**
 * From now on: the events that came into the stream, and the publications of nodes, which take what the API did not relay.
 * A node that publishes by itself mostly has one event to publish, so the rest was relayed.
 */
export const countPublications = async (stack: BenchStack): Promise<() => Promise<Figures>> => {
  const before = await countsOf(stack);
  return async () => {
    const after = await countsOf(stack);
    const [events, publications] = [after.events - before.events, after.publications - before.publications];
    return { events, publications, relayed: events === 0 ? 0 : 1 - Math.min(1, publications / events) };
  };
};

/** The SDK counts how long activities waited to be begun, once each. */
const PUBLICATIONS = /^temporal_activity_schedule_to_start_latency\w*_count\{[^}]*\} (\d+)/gmu;

const countsOf = async ({ redis, stream, workers }: BenchStack) => {
  const client = await createClient({ url: redis }).connect();
  try {
    const metrics = await Promise.all(workers.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    const counts = [...metrics.join('\n').matchAll(PUBLICATIONS)].map(([, count]) => Number(count));
    return { events: await client.xLen(stream), publications: counts.reduce((sum, count) => sum + count, 0) };
  } finally {
    client.destroy();
  }
};

/** All callers at one node, and at one entity; with the server's default limits. */
export const hot = async (bench: Bench, stack: BenchStack): Promise<void> => {
  for (const callers of bench.options.scale.hotCallers) {
    const node = await measuredNodes(bench, stack, freshNodes(1));
    const entity = await baselineNodes(bench, stack, freshNodes(1));
    const both = { section: 'hot', load: `1 node, ${callers} callers`, stack, pattern: closed(callers) };
    const target = await measurementsOf(stack, node);
    const runsOf = (workflowId: string) => () => countRuns(stack, workflowId);
    await inRounds(bench, [
      {
        ...both,
        side: 'baseline',
        target: baselineTarget('baselineUpdate', stack, entity),
        beside: runsOf(`baseline-${nodeId(entity.set, 0)}`),
      },
      { ...both, side: 'service', target, beside: runsOf(workflowIdOf(nodeId(node.set, 0))) },
    ]);
  }
};

/** How often the workflow continued as new from now on. */
const countRuns = async (stack: BenchStack, workflowId: string): Promise<() => Promise<Figures>> => {
  const runs = async (): Promise<number> =>
    (await withWorkflows(stack, (workflows) => workflows.count(`WorkflowId = '${workflowId}'`))).count;
  const before = await runs();
  return async () => ({ 'new runs': (await runs()) - before });
};

/** Time from the commit of a change to its entry in the stream, at half of the rate that the service can take. */
export const lag = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const [count = 1] = bench.options.scale.spread;
  const section = 'lag';
  const half = await shareOfGreatest(bench, stack, { section, count, share: 0.5 });
  const load = `${count} nodes, at half of that rate`;
  await inRounds(bench, [{ ...half, section, load, side: 'service', stack, beside: () => watchLag(stack) }]);
};

/** From now on: ms from the time that an event bears, that of the workflow task that commits it, to that of its entry. */
const watchLag = async ({ redis, stream }: BenchStack): Promise<() => Promise<Figures>> => {
  const client = await createClient({ url: redis }).connect();
  const newest = (await client.xRevRange(stream, '+', '-', { COUNT: 1 }))?.[0];
  return async () => {
    const lags: number[] = [];
    for (let last = newest?.id ?? '0-0'; ;) {
      const page = (await client.xRange(stream, `(${last}`, '+', { COUNT: 1_000 })) ?? [];
      for (const { id, message } of page) {
        last = id;
        lags.push(Number.parseInt(id, 10) - Number(message['timestamp']));
      }
      if (page.length < 1_000) break;
    }
    client.destroy();
    const { p50, p99, max } = quantilesOf(lags);
    return { events: lags.length, 'lag p50': p50, 'lag p99': p99, 'lag max': max };
  };
};

/** Many more nodes than a worker keeps: measurements of nodes that it has cached, and of nodes that it must replay. */
export const misses = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { missNodes, cachedNodes } = bench.options.scale;
  const cached = await measuredNodes(bench, stack, freshNodes(Math.ceil(cachedNodes / 2)));
  const many = await configuredNodes(bench, stack, freshNodes(missNodes));
  const both = { section: 'misses', side: 'service', stack, pattern: closed() };
  const toCached = await measurementsOf(stack, cached);
  // Taken in turn, a node is always the one that was evicted longest ago.
  const toMany = await measurementsOf(stack, many);
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    await once(bench, stack, toCached);
    await measure(bench, { ...both, load: `${cached.count} nodes, all of them cached`, target: toCached }, round);
    await measure(bench, { ...both, load: `${many.count} nodes in turn, none cached`, target: toMany }, round);
  }
};
