import { setTimeout as sleep } from 'node:timers/promises';
import { callsOf, type MakeCall } from './calls';
import type { Job, ResultLine, Window } from './job';
import { coresBetween, useOf } from './machine-use';
import { createRecorder, type Recorder } from './recorder';

/** Windows of a job that takes every node once. */
const PROGRESS_MS = 30_000;

/** The load generator, a process of its own: `node dist/bench/generator.js <job>`. Calls in flight at the end are left alone. */
const main = async (job: Job): Promise<void> => {
  const { pattern } = job;
  const call = await callsOf(job);
  const recorder = createRecorder();
  if (pattern.kind === 'each') {
    let cut = beginWindow(job, recorder);
    const progress = setInterval(() => {
      print({ window: cut() });
      cut = beginWindow(job, recorder);
    }, PROGRESS_MS);
    await closed(pattern.callers, (number) => number < job.nodes.count, call, recorder);
    clearInterval(progress);
    print({ window: cut() });
  } else {
    const goesOn = (): boolean => true;
    if (pattern.kind === 'fixed') void fixed(pattern.perSecond, call, recorder);
    else void closed(pattern.callers, goesOn, call, recorder);
    await sleep(job.warmUpMs);
    recorder.cut();
    for (let made = 0; made < job.windows; made += 1) {
      const cut = beginWindow(job, recorder);
      await sleep(job.windowMs);
      print({ window: cut() });
    }
  }
  print({ faults: recorder.faults });
};

const print = (line: ResultLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

type GoesOn = (next: number) => boolean;

const closed = async (callers: number, goesOn: GoesOn, call: MakeCall, recorder: Recorder): Promise<void> => {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (goesOn(next)) {
      const began = performance.now();
      const fault = await call(next++);
      recorder.record(performance.now() - began, fault);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
};

/** A call is due at fixed times and counts from then on, so that a service that falls behind is measured so. */
const fixed = async (perSecond: number, call: MakeCall, recorder: Recorder): Promise<never> => {
  const begin = performance.now();
  for (let next = 0; ;) {
    for (; begin + (next * 1_000) / perSecond <= performance.now(); next += 1) {
      const due = begin + (next * 1_000) / perSecond;
      void call(next).then((fault) => {
        recorder.record(performance.now() - due, fault);
      });
    }
    await sleep(1);
  }
};

const beginWindow = (job: Job, recorder: Recorder): (() => Window) => {
  const [began, before] = [performance.now(), useOf(job)];
  return () => {
    const seconds = (performance.now() - began) / 1_000;
    const [calls, after] = [recorder.cut(), useOf(job)];
    const { resident, fileBytes } = after;
    const cores = coresBetween(before, after, seconds);
    return { ...calls, perSecond: calls.calls / seconds, cores, resident, fileBytes };
  };
};

main(JSON.parse(process.argv[2] ?? '')).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
