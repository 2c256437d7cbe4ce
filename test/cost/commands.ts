import { packLines } from '../../workflows/domain/measurement/packed-lines';
import { isRecord } from '../../workflows/domain/codecs';
import { jsonOf, long, many, type Json } from './json-text';
import { commandOf, heavyLines, heavyThreshold, ownBearings, spectrumOf } from './reference';
import type { Subject } from './search';
import type { DomainSandbox } from './sandbox';

const set = (threshold: object, more = {}) => ({ setThreshold: { threshold, ...more } });
const patch = (...operations: ReadonlyArray<object>) => ({ patchThreshold: { operations } });
const recalculate = { recalculate: {} };
const measured = (measurement: object) => ({ recordMeasurement: { measurement } });
const packed = measured(spectrumOf({ lines: packLines(heavyLines()) }));
const unpacked = (speed: number, ...x: ReadonlyArray<number>) =>
  measured(spectrumOf({ coordinates: x.map((one) => ({ x: one, y: 1 })) }, speed));
const answered = (count: number, answer: string) =>
  measured({ contentType: 'QUESTION_ANSWERS', questionAnswers: many(count, () => answer) });
const heavy = { setThreshold: heavyThreshold };

const global = ownBearings.map(({ manufacturer, modelNumber }) => ({
  label: 'x',
  halAlarmType: 'GLOBAL',
  bearing: { manufacturer, modelNumber },
}));
const bearing = (name: string) => ({ manufacturer: 'SKF', modelNumber: long(name, 1_000) });
const empties = many(20_000, () => []);

type Seeds = Readonly<Record<'spectra' | 'thresholds' | 'patches' | 'others', ReadonlyArray<Json>>>;

/**
 * Inputs of every form that a grammar or a loop may stumble over, none of them dear: long texts and names, wide lists, numbers that
 * are nearly equal, every operation. By what they are about: lists of commands, each `{<name>: <payload>}`, to a new node.
 */
export const formSeeds: Seeds = {
  spectra: [
    [set({ halAlarms: [{ label: '1x' }, { label: '12 TOOTH' }], bandAlarms: [{}] }), unpacked(3_000, 50, 50.000_1)],
    [set({ halAlarms: [{ label: '1x' }] }), unpacked(1_500, 10, 20, 1_000)],
  ].map(jsonOf),
  thresholds: [
    [
      set({
        halAlarms: many(100, () => ({ label: '1x 2x', bearing: { manufacturer: 'SKF', modelNumber: '6205' } })),
      }),
      unpacked(1_500, 50, 51),
    ],
    [
      set({ halAlarms: many(100, () => ({ label: 'BPFO', bearing: bearing('SKF 6205-2RS ') })) }),
      unpacked(1_500, 50, 51),
    ],
  ].map(jsonOf),
  patches: [
    [
      set({ fullScale: 1 }),
      patch(
        { op: 'add', path: '/x', value: many(5_000, () => []) },
        ...many(20, (index) => ({ op: 'move', from: index % 2 ? '/y' : '/x', path: index % 2 ? '/x' : '/y' })),
      ),
    ],
    [
      set({ fullScale: 1, bandAlarms: [{}] }),
      patch(
        { op: 'copy', from: '/bandAlarms', path: '/y' },
        { op: 'replace', path: '/fullScale', value: 2 },
        { op: 'remove', path: '/y' },
        { op: 'test', path: '/fullScale', value: 2 },
      ),
    ],
  ].map(jsonOf),
  others: [
    [
      set({ inspection: { choices: many(100, (index) => ({ answer: `a${index}`, status: index % 5 })) } }),
      answered(100, 'x'),
      recalculate,
    ],
  ].map(jsonOf),
};

/** The first inputs of the search: those at the limits, and those that were dear once. */
export const commandSeeds: Seeds = {
  spectra: [
    [heavy, packed, recalculate],
    [set({ halAlarms: global }, { bearings: ownBearings }), packed],
    [set({ halAlarms: many(100, (index) => ({ label: `${index + 1}x` })) }), packed],
    [set({ halAlarms: [{ label: '1x' }], bandAlarms: [{}] }), unpacked(1_500, 50, 50.000_000_000_01)],
    [set({ halAlarms: [{ label: '1x' }] }), unpacked(3_000, 49, 50, 51)],
  ].map(jsonOf),
  thresholds: [
    [set({ halAlarms: many(100, () => ({ label: long('1x ') })) }), unpacked(1_500, 50, 51)],
    [set({ halAlarms: many(100, () => ({ label: long('1') })) }), unpacked(1_500, 50, 51)],
    [set({ halAlarms: many(100, () => ({ label: long('½', 400) })) })],
    [set({ halAlarms: many(100, () => ({ label: 'BPFO', bearing: bearing('A-') })) }), unpacked(1_500, 50, 51)],
    [heavy, { setThreshold: { ...heavyThreshold, idempotencyKey: 'k' } }],
    [set({ bandAlarms: many(100, () => ({ label: long('é', 600) })), fullScale: 1 })],
    [set(Object.fromEntries(many(90_000, (index) => [`m${index}`, 1])))],
  ].map(jsonOf),
  patches: [
    [
      set({}),
      patch(
        { op: 'add', path: '/x', value: empties },
        ...many(6, (index) => ({ op: 'copy', from: '/x', path: `/y${index}` })),
        ...many(93, (index) => ({ op: 'move', from: index % 2 ? '/b' : '/x', path: index % 2 ? '/x' : '/b' })),
      ),
    ],
    [
      heavy,
      patch({ op: 'replace', path: '/bandAlarms/0/minFrequency/value', value: 0.5 }),
      patch({ op: 'move', from: '/halAlarms/0', path: '/halAlarms/5' }, { op: 'remove', path: '/bandAlarms/0' }),
      patch({ op: 'copy', from: '/halAlarms/0', path: '/halAlarms/-' }, { op: 'test', path: '', value: {} }),
    ],
  ].map(jsonOf),
  others: [
    [
      set({
        thresholdType: 3,
        inspection: { choices: many(100, (index) => ({ answer: `a${index}`, status: index % 5 })) },
      }),
      answered(30_000, 'x'),
      recalculate,
    ],
    [
      set({ thresholdType: 2, overall: { unit: 'C', innerHigh: 5 } }),
      measured({
        ...{ contentType: 'DATA_POINT', dataPoint: { coordinate: { x: 1, y: 2 }, xUnit: 's', yUnit: 'C' } },
        ...{ tags: { a: [1, 2] }, rateOfChange: 1 },
      }),
      { setExternalAlarm: { status: 3, setBy: '3b241101-e2bb-4255-8caf-4136c566a962' } },
      { republish: { idempotencyKey: 'k', cause: { requestId: 'r' } } },
    ],
  ].map(jsonOf),
};

/** As many as a script of commands may have: a node lives for longer, but a search would only add to it. */
const MOST_COMMANDS = 6;

/** The most bytes that Temporal takes as one payload. */
const MOST_BYTES = 2 * 1_024 * 1_024;

/** Costs below this (ms) say nothing of an estimate. */
const LEAST_MS = 2;

/**
 * Commands to a new node, in the sandbox: the dearest one, how many times as long as estimated one took, and what queries of
 * the node and its continue-as-new take then. `slower`: how many times as long as on the machine of the estimates this one takes.
 */
export const commandSubject = (sandbox: DomainSandbox, seeds: ReadonlyArray<Json>, slower: number): Subject => ({
  seeds,
  mostBytes: MOST_BYTES,
  measure: (text) => {
    const commands = commandsIn(JSON.parse(text));
    if (commands.length === 0 || commands.length > MOST_COMMANDS) return undefined;
    sandbox.newNode();
    let [ms, overEstimate] = [0, 0];
    for (const command of commands) {
      const taken = sandbox.take(command);
      ms = Math.max(ms, taken.ms);
      if (taken.ms > LEAST_MS * slower && taken.work !== undefined)
        overEstimate = Math.max(overEstimate, (taken.ms / slower) * (1_000 / taken.work));
    }
    return { ms, overEstimate, queries: sandbox.look().ms, continueAsNew: sandbox.carryOn().ms };
  },
});

/** The commands of `[{<name>: <payload>}, ...]` as JSON. */
const commandsIn = (list: unknown): ReadonlyArray<string> =>
  (Array.isArray(list) ? list : []).flatMap((one: unknown) =>
    Object.entries(isRecord(one) ? one : {}).flatMap(([name, payload]) =>
      isRecord(payload) ? [commandOf(name, payload)] : [],
    ),
  );
