import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCaller, type Call, type CallResult } from '../../chaos/load/call';
import { startStack, type Stack } from '../../chaos/stack/stack';
import { hardLimits } from '../../../workflows/domain/limits';
import { startBusyLoops } from '../../support/busy-loops';
import { folderOfFile } from '../../support/temporary-folder';

/** A hundred bearings of an operator's file, no two alike. */
const bearings = Array.from({ length: hardLimits.hals }, (_, index) => ({
  manufacturer: 'Own',
  modelNumber: `B${index}`,
  geometry: { elements: 7 + (index % 13), elementDiameter: 10 + index / 50, pitchDiameter: 60 + index / 10 },
}));

/** Bands as wide as the spectrum, each with limits. */
const bandAlarms = Array.from({ length: hardLimits.bands }, (_, index) => ({
  label: `band ${index}`,
  minFrequency: { value: index / 4, valueType: 1 },
  maxFrequency: { value: 400 + index, valueType: 1 },
  overallThreshold: { upperAlert: { value: 1_000, valueType: 1 }, upperDanger: { value: 2_000, valueType: 1 } },
}));
const halAlarms = bearings.map(({ manufacturer, modelNumber }, index) => ({
  label: ['BPFO', 'BPFI', 'BSF', 'FTF'][index % 4],
  bearing: { manufacturer, modelNumber },
  upperAlert: 50,
}));

const heavyThreshold = { bandAlarms, halAlarms };

const SPEED = 30;
const STEP_HZ = 1 / 32;
/** Lines from one turn of the shaft to the next. */
const COMB = SPEED / 60 / STEP_HZ;

/** A spectrum at 30 rpm, in which all multiples of the shaft's speed stand out; none is like another. */
const heavySpectrum = (lines: number = hardLimits.spectrumLines) => ({
  measurementId: randomUUID(),
  createdAt: new Date().toISOString(),
  contentType: 'SPECTRUM',
  spectrum: {
    speed: SPEED,
    xUnit: 'Hz',
    yUnit: 'g',
    windowFunction: 'hann',
    coordinates: Array.from({ length: lines }, (_, index) => ({
      x: index * STEP_HZ,
      y: Number((index % COMB === 0 ? 5 + Math.random() : 0.01 * Math.random()).toPrecision(5)),
    })),
  },
});

const USER = randomUUID();
const caller = createCaller();
const folder = folderOfFile();
let stack: Stack;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  const file = join(folder, 'bearings.json');
  await writeFile(file, JSON.stringify({ bearings }));
  stack = await startStack({ env: { BEARINGS_FILE: file } });
  await stack.workers[1].kill(); // the other one is the only one now
  headers = { Authorization: `Bearer ${await stack.signToken(USER)}` };
});
afterAll(async () => {
  caller.close();
  await stack.stop();
});

const send = (method: Call['method'], path: string, content?: unknown): Promise<CallResult> => {
  const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
  return caller.call(stack.apis[0].url, {
    ...{ method, path: `/v1/${path}` },
    headers: content === undefined ? headers : { ...headers, 'Content-Type': type },
    ...(content !== undefined && { body: JSON.stringify(content) }),
  });
};
const read = (node: string): Promise<CallResult> => send('GET', `alarm-status/${node}`);
const recalculate = (node: string): Promise<CallResult> => send('PUT', `alarm-status/${node}`);
const measure = (node: string, lines?: number): Promise<CallResult> =>
  send('PUT', `alarm-status/${node}`, heavySpectrum(lines));
/** Moves the edge of a band, so that the bands are rated again. */
const moveEdge = (node: string, at: number): Promise<CallResult> =>
  send('PATCH', `point-alarm-threshold/${node}`, [
    { op: 'replace', path: '/bandAlarms/0/minFrequency/value', value: at / 100 },
  ]);
/** Moves the limit of a HAL, so that the newest spectrum is looked through again for all HALs. */
const moveLimit = (node: string, at: number): Promise<CallResult> =>
  send('PATCH', `point-alarm-threshold/${node}`, [{ op: 'replace', path: '/halAlarms/0/upperAlert', value: 51 + at }]);
const setExternal = (node: string): Promise<CallResult> =>
  send('PUT', `alarm-status/${node}/status/external`, { status: 2 });

const heavyNode = async (): Promise<string> => {
  const node = randomUUID();
  expect(await send('PUT', `point-alarm-threshold/${node}`, heavyThreshold)).toMatchObject({ status: 204 });
  expect(await measure(node)).toMatchObject({ status: 204 });
  return node;
};

const isServed = ({ status }: CallResult): boolean => status === 200 || status === 204;
const refusedOf = (answers: ReadonlyArray<CallResult>): ReadonlyArray<string> =>
  answers.filter((answer) => !isServed(answer)).map(({ status, body, fault }) => `${status} ${fault ?? body}`);
const slowest = (answers: ReadonlyArray<CallResult>): number => Math.max(...answers.map(({ ms }) => ms));
const p99 = (answers: ReadonlyArray<CallResult>): number =>
  [...answers].sort((one, other) => one.ms - other.ms)[Math.ceil(answers.length * 0.99) - 1]?.ms ?? NaN;

const figures: string[] = [];
const note = (what: string, ms: number): void => void figures.push(`${what}: ${Math.round(ms)} ms`);
afterAll(() => console.log(figures.join('\n')));

/** The calls of somebody else, 20 a second, until they are asked for. */
const startBystander = (): (() => Promise<ReadonlyArray<CallResult>>) => {
  const node = randomUUID();
  const calls: Array<Promise<CallResult>> = [];
  const turns = setInterval(() => calls.push(setExternal(node)), 50);
  return () => {
    clearInterval(turns);
    return Promise.all(calls);
  };
};

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);

/** The time (ms) until a node reads and writes again. */
const untilBack = async (node: string, deadlineMs: number): Promise<number> => {
  const began = performance.now();
  for (;;) {
    const answers = [await read(node), await setExternal(node)];
    const ms = performance.now() - began;
    if (answers.every(isServed)) return ms;
    if (ms > deadlineMs) throw new Error(`after ${Math.round(ms)} ms still ${refusedOf(answers).join(', ')}`);
    await sleep(100);
  }
};
const restartWorker = async (): Promise<void> => {
  await stack.workers[0].kill();
  await stack.workers[0].start();
};

let endLoops: () => Promise<void>;
afterEach(() => endLoops());

describe('a node of all bands and HALs beside a busy loop on each core', () => {
  let node: string;
  let endBystander: () => Promise<ReadonlyArray<CallResult>>;
  beforeEach(async () => {
    node = await heavyNode();
    endLoops = startBusyLoops(1);
    endBystander = startBystander();
    await sleep(1_000);
  });

  const expectServed = async (what: string, answers: ReadonlyArray<CallResult>, withinMs: number): Promise<void> => {
    const bystander = await endBystander();
    note(what, slowest(answers));
    note(`  beside it a bystander, p99 of ${bystander.length}`, p99(bystander));
    expect(refusedOf(answers)).toEqual([]);
    expect(slowest(answers)).toBeLessThanOrEqual(withinMs);
    expect(refusedOf(bystander)).toEqual([]);
    expect(p99(bystander)).toBeLessThanOrEqual(1_500);
  };

  test.each<[count: number, what: string, withinMs: number, call: (at: number) => Promise<CallResult>]>([
    [40, 'recalculations', 5_000, () => recalculate(node)],
    [40, 'patches of a band', 5_000, (at) => moveEdge(node, at)],
    [40, 'patches of a HAL', 10_000, (at) => moveLimit(node, at)],
    [12, 'spectra of 12,800 lines', 6_000, () => measure(node, 12_800)],
  ])('%i %s at once', async (count, what, withinMs, call) => {
    const answers = await Promise.all(upTo(count).map(call));
    await expectServed(`${count} ${what} at once, the slowest`, answers, withinMs);
  });

  test('its return after the end of the only worker', async () => {
    for (const at of upTo(60)) await moveLimit(node, at);
    const restarted = restartWorker();
    const ms = await untilBack(node, 30_000);
    await restarted;
    await endBystander();
    note('back after kill -9', ms);
    expect(ms).toBeLessThanOrEqual(12_000);
  });
});

test('a node at the limits is never stuck, four busy loops on each core or not', async () => {
  const node = await heavyNode();
  endLoops = startBusyLoops(4);
  const crowd = await Promise.all(upTo(40).map((at) => moveLimit(node, at)));
  note(
    `beside four loops a core, ${crowd.filter(isServed).length} of 40 patches at once served, the slowest`,
    slowest(crowd),
  );
  note('  it takes calls again', await untilBack(node, 60_000));
  const restarted = restartWorker();
  note('  back after kill -9', await untilBack(node, 60_000));
  await restarted;
});
