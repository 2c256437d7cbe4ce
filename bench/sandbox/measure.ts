import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflows, CONSTANTS } from '../../worker/workflow-code';
import { medianOf } from '../report/summary';
import { createSandbox, type Command, type SandboxNode } from './sandbox';
import { variants } from './variants';

const limits = { unit: 'C', outerLow: 0, innerLow: 10, innerHigh: 20, outerHigh: 30 };
const watched = (value: number) => ({
  unit: 'g',
  upperAlert: { value, valueType: 1 },
  upperDanger: { value: 2 * value, valueType: 1 },
});
const order = (value: number) => ({ value, valueType: 2 });

const overall = { thresholdType: 2, overall: limits };
const vibration = {
  thresholdType: 0,
  bandAlarms: Array.from({ length: 20 }, (_, band) => ({
    ...{ label: `band ${band}`, minFrequency: order(band + 1), maxFrequency: order(band + 2) },
    overallThreshold: watched(5),
  })),
  halAlarms: ['BPFO', 'BPFI', 'BSF', 'FTF'].map((label) => ({
    ...{ label, halAlarmType: 'FREQUENCY', bearing: { manufacturer: 'SKF', modelNumber: '6205' } },
    ...{ upperAlert: 3.5, upperDanger: 5 },
  })),
};
const spectrum = (
  JSON.parse(readFileSync(join(__dirname, '../../docs/examples/outer-race.json'), 'utf8')) as Readonly<
    Record<'spectrum', unknown>
  >
).spectrum;

const setting = (threshold: object): Command => ({ ...caller(), name: 'setThreshold', threshold });
const measuring = (content: object): Command => ({
  ...{ ...caller(), name: 'recordMeasurement' },
  measurement: { measurementId: randomUUID(), createdAt: new Date().toISOString(), ...content },
});
const caller = () => {
  const requestId = randomUUID().slice(0, 16);
  return { userId: 'bench', requestId, cause: { requestId, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` } };
};
/** One in 23 changes the status. */
const dataPoint = (number: number): Command =>
  measuring({
    contentType: 'DATA_POINT',
    dataPoint: { coordinate: { x: 0, y: number % 23 === 0 ? 25 : 15 }, xUnit: 's', yUnit: 'C' },
  });

/** Milliseconds of processor time of one update, once the code is warm: the median of five parts. */
const costOf = async (nodes: ReadonlyArray<SandboxNode>, updates: number, command: (number: number) => Command) => {
  const parts: number[] = [];
  for (let part = 0; part < 10; part += 1) {
    const commands = Array.from({ length: updates }, (_, number) => command(number));
    const before = process.cpuUsage();
    for (const [number, given] of commands.entries()) await nodes[number % nodes.length]?.send(given);
    const { user, system } = process.cpuUsage(before);
    parts.push((user + system) / 1_000 / updates);
  }
  return medianOf(parts.slice(5));
};

/** KB that what `make` makes keeps of V8's heap, each. */
const heapOf = async (make: () => Promise<ReadonlyArray<unknown>>): Promise<number> => {
  const used = (): number => {
    global.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const made = await make();
  return (used() - before) / 1_000 / made.length;
};

const main = async ([name = '']: ReadonlyArray<string>): Promise<void> => {
  const variant = variants[name];
  if (variant === undefined) throw new Error(`there is no variant by the name ${name}`);
  for (const prepare of variant.prepare) prepare();
  const { code } = await bundleWorkflows(undefined, variant.shared ? undefined : []);
  const newNode = await createSandbox(variant.constants ? code : code.slice(CONSTANTS.length));
  const nodesWith = async (count: number, threshold: object): Promise<ReadonlyArray<SandboxNode>> => {
    const nodes = await Promise.all(Array.from({ length: count }, newNode));
    for (const node of nodes) await node.send(setting(threshold));
    return nodes;
  };
  await nodesWith(50, overall);
  const costs = [
    await heapOf(() => nodesWith(200, overall)),
    await costOf(await nodesWith(100, overall), 400, dataPoint),
    await costOf(await nodesWith(5, vibration), 10, () => measuring({ contentType: 'SPECTRUM', spectrum })),
  ];
  process.send?.(costs, () => process.exit(0));
};

void main(process.argv.slice(2));
