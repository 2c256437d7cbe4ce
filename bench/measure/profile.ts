import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entries } from '../../scripts/start/entries';
import { bundledFiles } from '../profile/bundled-files';
import { PARTS } from '../report/cell';
import { busyTimes, type CpuProfile, type Span } from '../profile/busy-times';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { inRounds, measure, msACall } from './measure';
import { floorNodes, floorTarget, freshNodes, serviceTarget, withThresholds } from './prepare';
import type { Row } from './row';
import { steps } from './steps';
import { onStack } from './table';

const CALLERS = 64;
/** Code that took less than this share of its thread is not told by itself. */
const LEAST_SHARE = 0.02;

/** Where the time goes: the steps of a call, what it takes of each process, and of whose code in a worker and an API. */
export const profile = async (bench: Bench): Promise<void> => {
  await onStack(bench, { name: 'steps', floor: true }, [steps, processes]);
  const folder = join(bench.ground.folder, 'profiles');
  mkdirSync(folder);
  const watched = ['--cpu-prof', '--cpu-prof-dir', folder];
  const plan = { name: 'profiled', api: [...watched, ...entries.api], worker: [...watched, ...entries.worker] };
  const seen = { from: 0, to: 0, calls: 0 };
  await onStack(bench, plan, [
    async (_bench, stack) => {
      const silent = { ...bench, note: () => undefined };
      const { figures } = await measure(silent, await measurements(bench, stack), 1);
      seen.to = Number(process.hrtime.bigint() / 1_000n);
      seen.from = seen.to - bench.options.windowMs * 1_000;
      seen.calls = ((figures['perSecond'] ?? 0) * bench.options.windowMs) / 1_000;
    },
  ]);
  for (const row of codeRows(folder, seen, seen.calls)) bench.note(row);
};

const measurements = async (bench: Bench, stack: BenchStack) => {
  const [count = 1] = bench.options.scale.spread;
  const nodes = await withThresholds(bench, stack, freshNodes(count));
  return {
    ...{ section: 'processes', load: `${count} nodes, ${CALLERS} callers`, side: 'service', stack },
    ...{
      pace: { kind: 'closed', callers: CALLERS } as const,
      target: await serviceTarget('recordMeasurement', stack, nodes),
    },
  };
};

/** Processor time of a call, by process: the service beside the floor. */
const processes = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const service = await measurements(bench, stack);
  const entities = await floorNodes(bench, stack, freshNodes(service.target.nodes.count));
  const floor = { ...service, side: 'floor', target: floorTarget('floorUpdate', stack, entities) };
  const timed = ({ figures, ...row }: Row): Row => {
    const times = Object.fromEntries(PARTS.map((part) => [`ms ${part}`, msACall(figures, part)]));
    return { ...row, figures: { ...figures, ...times } };
  };
  const note = (row: Row): void => {
    bench.note(timed(row));
  };
  await inRounds({ ...bench, note }, [floor, service]);
};

/** Whose code the threads were in, most first. */
const codeRows = (folder: string, span: Span, calls: number): ReadonlyArray<Row> => {
  const fileOf = bundledFiles();
  return readdirSync(folder).flatMap((name) => {
    const read: CpuProfile = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const times = Object.entries(busyTimes(read, span, fileOf));
    const all = times.reduce((sum, [, ms]) => sum + ms, 0);
    const told = times.filter(([, ms]) => ms >= all * LEAST_SHARE).sort(([, one], [, other]) => other - one);
    const others = all - told.reduce((sum, [, ms]) => sum + ms, 0);
    const shown: ReadonlyArray<readonly [string, number]> = [...told, ['others', others], ['all', all]];
    return shown.map(([side, ms]) => ({
      ...{ section: 'code', load: threadOf(read, name), side, round: 1 },
      figures: { 'ms a call': ms / calls, share: ms / all },
    }));
  });
};

/** The thread, by what ran in it. */
const threadOf = ({ nodes }: CpuProfile, name: string): string => {
  const ran = (part: string): boolean => nodes.some(({ callFrame }) => callFrame.url.includes(part));
  if (ran('workflow-bundle')) return 'worker, thread of the workflows';
  if (ran('dist/worker/')) return 'worker, main thread';
  return ran('dist/api/') ? 'API' : name;
};
