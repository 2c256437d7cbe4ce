import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults, Job, Window } from './job';
import { coresBetween, useOf } from './machine-use';
import { createRecorder, type Recorder } from './recorder';

/** Windows of a job that takes every node once. */
const PROGRESS_MS = 30_000;

/** Makes the call of this number. Returns its error, or an empty string. Never rejects. */
export type MakeCall = (number: number) => Promise<string>;

/** Carries out `job`; `onWindow` gets each window as it ends. Calls in flight at the end are left alone. */
export const runLoad = async (job: Job, call: MakeCall, onWindow: (window: Window) => void): Promise<Faults> => {
  const { pattern } = job;
  const recorder = createRecorder();
  if (pattern.kind === 'each') {
    let cut = beginWindow(job, recorder);
    const progress = setInterval(() => {
      onWindow(cut());
      cut = beginWindow(job, recorder);
    }, PROGRESS_MS);
    await closed(pattern.callers, (number) => number < job.target.nodes.count, call, recorder);
    clearInterval(progress);
    onWindow(cut());
    return recorder.faults;
  }
  let isOver = false;
  const goesOn = (): boolean => !isOver;
  if (pattern.kind === 'fixed') void fixed(pattern.perSecond, goesOn, call, recorder);
  else void closed(pattern.callers, goesOn, call, recorder);
  await sleep(job.warmUpMs);
  recorder.cut();
  for (let made = 0; made < job.windows; made += 1) {
    const cut = beginWindow(job, recorder);
    await sleep(job.windowMs);
    onWindow(cut());
  }
  isOver = true;
  return recorder.faults;
};

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
const fixed = async (perSecond: number, goesOn: GoesOn, call: MakeCall, recorder: Recorder): Promise<void> => {
  const begin = performance.now();
  for (let next = 0; goesOn(next);) {
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
    const [times, after] = [recorder.cut(), useOf(job)];
    const { resident, fileBytes } = after;
    const cores = coresBetween(before, after, seconds);
    return { ...times, seconds, perSecond: times.calls / seconds, cores, resident, fileBytes };
  };
};
