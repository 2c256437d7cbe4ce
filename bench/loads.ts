import { CALM, FLAPPING, NEVER, type Calls } from './job';
import { CALLERS, textOf, warm, type Bench, type Load, type Side } from './measure';
import type { BenchOptions, Section } from './options';
import type { BenchStack, StackPlan } from './stack';
import { database, lag, memory, newRuns, publications, soak, staleness } from './watch';

/** What is done on a stack: a load, or a measurement of its own. */
export type Step = Load | ((bench: Bench, stack: BenchStack) => Promise<void>);

/** A stack, and what is done on it in turn: all that begins with none of its sections is left out. */
export interface StackRow {
  readonly stack: StackPlan;
  /** Before anything else. */
  readonly first: ReadonlyArray<Step>;
  readonly sections: Partial<Record<Section, ReadonlyArray<Step>>>;
}

const calm: Calls = { kind: 'recordMeasurement', dangerEvery: CALM };
const flapping: Calls = { kind: 'recordMeasurement', dangerEvery: FLAPPING };
const outOfDanger: Calls = { kind: 'recordMeasurement', dangerEvery: NEVER };
const status: Calls = { kind: 'alarmStatus' };
const baseline: Side = { side: 'baseline', calls: { kind: 'baselineUpdate' } };
const service: Side = { side: 'service', calls: calm };

const SPECTRUM_LINES = 3_200;
/** What a spectrum of so many lines takes in a history: base64 of four bytes a line, and its other members. */
const SPECTRUM_BYTES = Math.ceil((SPECTRUM_LINES * 4 * 4) / 3) + 250;
const SPECTRUM_CALLERS = 32;
/** Runs that the server caches in a soak, closed ones among them: so few that the cache is full within the first minutes. */
const CACHED_RUNS = 1_000;

/** The table of loads: each section on a stack that suits it. */
export const loads = ({ scale }: BenchOptions): ReadonlyArray<StackRow> => {
  const [fewest] = scale.spread;
  const most = Math.max(...scale.spread);
  const caching = (nodes: number) => ({ env: { MAX_CACHED_WORKFLOWS: String(nodes) } });
  const keepingAll = { baseline: true, ...caching(2 * most) };
  return [
    {
      stack: { name: 'many', ...keepingAll },
      first: [warm],
      sections: {
        // Few or all measurements change the status, against updates of as many entities.
        spread: scale.spread.map((nodes) => ({
          section: 'spread',
          nodes,
          sides: [
            baseline,
            { ...service, before: outOfDanger, watch: publications },
            { side: 'flapping', calls: flapping, before: outOfDanger, watch: publications },
            { side: 'baseline, flapping', calls: { kind: 'baselineFlap' } },
          ],
        })),
        // Spectra that rate ten bands and four HALs, against updates that carry as many bytes.
        spectra: [
          {
            section: 'spectra',
            nodes: 100,
            load: `spectra of ${SPECTRUM_LINES} lines, ${SPECTRUM_CALLERS} callers`,
            sides: [
              { side: 'baseline', calls: { kind: 'baselineUpdate', bytes: SPECTRUM_BYTES }, callers: SPECTRUM_CALLERS },
              {
                ...{ side: 'service', calls: { kind: 'recordSpectrum', lines: SPECTRUM_LINES } },
                callers: SPECTRUM_CALLERS,
              },
            ],
          },
        ],
      },
    },
    {
      stack: { name: 'reads', ...keepingAll },
      first: [warm],
      sections: {
        // As many entities as nodes: a call costs a worker more, the more it keeps.
        reads: [{ section: 'reads', nodes: most, sides: readSides(fewest) }],
        // Time from the commit of a change to its entry in the stream.
        lag: [
          {
            ...{ section: 'lag', nodes: fewest, load: `${fewest} nodes, at half of that rate`, share: 0.5 },
            sides: [{ ...service, watch: lag }],
          },
        ],
        staleness: [staleness],
      },
    },
    {
      // The server's default limits; the first section has its baseline there, too.
      stack: { name: 'one', baseline: true, temporalLimits: 'own' },
      first: [warm],
      sections: {
        spread: scale.spread.map((nodes) => ({
          ...{ section: 'spread', nodes },
          sides: [{ ...baseline, side: 'baseline, defaults' }],
        })),
        // All callers at one node, and at one entity.
        hot: scale.hotCallers.map((callers) => ({
          ...{ section: 'hot', nodes: 1, load: textOf(1, callers) },
          sides: [baseline, service].map((side) => ({ ...side, callers, watch: newRuns })),
        })),
      },
    },
    {
      stack: { name: 'memory', ...caching(scale.cachedNodes) },
      first: [],
      sections: {
        memory: [memory],
        // Many more nodes than a worker keeps: those that it must replay, and some that it has cached.
        misses: [
          {
            section: 'misses',
            nodes: scale.missNodes,
            // Taken in turn, a node is always the one that was evicted longest ago.
            load: `${scale.missNodes} nodes in turn, none cached`,
            prepare: [{ kind: 'setThreshold' }],
            sides: [service],
          },
          {
            section: 'misses',
            nodes: Math.ceil(scale.cachedNodes / 2),
            load: `${Math.ceil(scale.cachedNodes / 2)} nodes, all of them cached`,
            sides: [{ ...service, before: calm }],
          },
        ],
      },
    },
    ...scale.workers.map((workers) => ({
      // Nodes that do not fit are another question (`misses`).
      stack: { name: `growth-${workers}`, workers, ...caching(2 * Math.max(...scale.growth)) },
      first: [warm],
      sections: {
        // Ever more nodes, by one worker and by several.
        growth: scale.growth.map((nodes) => ({
          ...{ section: 'growth', nodes },
          sides: [{ ...service, side: workers === 1 ? '1 worker' : `${workers} workers`, watch: database }],
        })),
      },
    })),
    {
      stack: { name: 'soak', dynamicConfig: { 'history.hostLevelCacheMaxSize': CACHED_RUNS } },
      first: [warm],
      sections: { soak: [soak] },
    },
  ];
};

/** Reads of `count` nodes, one each, beside queries of as many entities; and batches of all nodes, one at a time. */
const readSides = (count: number): ReadonlyArray<Side> => {
  const [one, cached] = [{ side: 'service' }, { side: 'READS=cache', isCached: true }];
  const statusOf = { load: `GET status, ${CALLERS} callers`, calls: status, count };
  const batch = (size: number) => ({
    ...{ load: `batch of ${size}, 1 caller`, calls: { kind: 'batch', size } as const, callers: 1 },
  });
  return [
    { ...statusOf, side: 'baseline', calls: { kind: 'baselineQuery' } },
    { ...statusOf, ...one },
    { ...statusOf, ...one, load: `GET threshold, ${CALLERS} callers`, calls: { kind: 'threshold' } },
    { ...statusOf, ...one, load: `GET status of one node, ${CALLERS} callers`, count: 1 },
    { ...batch(100), ...one },
    { ...statusOf, ...cached },
    { ...batch(100), ...cached },
    { ...batch(1_000), ...cached },
  ];
};
