import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entries } from '../../scripts/start/entries';
import { bundledFiles } from '../profile/bundled-files';
import { PARTS } from '../report/cell';
import { busyTimes, type CpuProfile, type Span } from '../profile/busy-times';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { atHalfLoad } from './half-load';
import { inRounds, msACall } from './measure';
import { floorNodes, floorTarget, freshNodes, measuredNodes, serviceTarget, warm } from './prepare';
import type { Row } from './row';
import { steps } from './steps';
import { onStack } from './on-stack';

const CALLERS = 64;
/** Code that took less than this share of its thread is not told by itself. */
const LEAST_SHARE = 0.02;

/** Where the time goes: the steps of a call, what it takes of each process, and of whose code in a worker and an API. */
export const profile = async (bench: Bench): Promise<void> => {
  await onStack(bench, { name: 'steps', floor: true }, [warm, steps, processes]);
  const folder = join(bench.ground.folder, 'profiles');
  mkdirSync(folder);
  const watched = ['--cpu-prof', '--cpu-prof-dir', folder];
  const plan = { name: 'profiled', api: [...watched, ...entries.api], worker: [...watched, ...entries.worker] };
  const spans: Span[] = [];
  await onStack(bench, plan, [
    warm,
    (_bench, stack) =>
      atHalfLoad(bench, stack, async () => {
        const from = micros();
        await sleep(bench.options.windowMs * bench.options.rounds);
        spans.push({ from, to: micros() });
      }),
  ]);
  for (const span of spans) for (const row of codeRows(folder, span)) bench.note(row);
};

/** µs by the clock of profiles. */
const micros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** Processor time of a call, by process: the service beside the floor. */
const processes = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const [count = 1] = bench.options.scale.spread;
  const nodes = await measuredNodes(bench, stack, freshNodes(count));
  const entities = await floorNodes(bench, stack, freshNodes(count));
  const pace = { kind: 'closed', callers: CALLERS } as const;
  const both = { section: 'processes', load: `${count} nodes, ${CALLERS} callers`, stack, pace };
  const service = { ...both, side: 'service', target: await serviceTarget('recordMeasurement', stack, nodes) };
  const floor = { ...both, side: 'floor', target: floorTarget('floorUpdate', stack, entities) };
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
const codeRows = (folder: string, span: Span): ReadonlyArray<Row> => {
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
      figures: { share: ms / all, 'share of time': ms / ((span.to - span.from) / 1_000) },
    }));
  });
};

/** The thread, by what ran in it. */
const threadOf = ({ nodes }: CpuProfile, name: string): string => {
  const ran = (part: string): boolean => nodes.some(({ callFrame }) => callFrame.url.includes(part));
  if (ran('dist/api/main.js')) return 'API';
  if (ran('dist/worker/main.js')) return 'worker, main thread';
  return ran('workflow-bundle') ? 'worker, thread of the workflows' : name;
};
