import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults, Job, Window } from './job';
import { coresBetween, useOf } from './machine-use';
import { createRecorder, type Recorder } from './recorder';

/** Makes the call of this number; answers what came instead of an answer, or nothing. It never rejects. */
export type MakeCall = (number: number) => Promise<string>;

/** Carries out `job` and tells each window as it ends. Calls that are under way at the end are left alone. */
export const runLoad = async (job: Job, call: MakeCall, tell: (window: Window) => void): Promise<Faults> => {
  const recorder = createRecorder();
  if (job.pace.kind === 'each') {
    const cut = beginWindow(job, recorder);
    await each(job.pace.callers, job.target.nodes.count, timed(call, recorder));
    tell(cut());
    return recorder.faults;
  }
  const load = { isOver: false };
  if (job.pace.kind === 'paced') void paced(job.pace.perSecond, load, call, recorder);
  else closed(job.pace.callers, load, timed(call, recorder));
  await sleep(job.warmUpMs);
  recorder.cut();
  for (let made = 0; made < job.windows; made += 1) {
    const cut = beginWindow(job, recorder);
    await sleep(job.windowMs);
    tell(cut());
  }
  load.isOver = true;
  return recorder.faults;
};

type Timed = (number: number) => Promise<void>;

const timed =
  (call: MakeCall, recorder: Recorder): Timed =>
  async (number) => {
    const began = performance.now();
    const fault = await call(number);
    recorder.record(performance.now() - began, fault);
  };

const each = async (callers: number, count: number, call: Timed): Promise<void> => {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
};

const closed = (callers: number, load: { readonly isOver: boolean }, call: Timed): void => {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (!load.isOver) await call(next++);
  };
  for (let started = 0; started < callers; started += 1) void caller();
};

/** A call is due at fixed times and counts from then on, so that a service that falls behind cannot hide it. */
const paced = async (
  perSecond: number,
  load: { readonly isOver: boolean },
  call: MakeCall,
  recorder: Recorder,
): Promise<void> => {
  const begin = performance.now();
  for (let next = 0; !load.isOver;) {
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
    return {
      ...times,
      seconds,
      perSecond: times.calls / seconds,
      cores: coresBetween(before, after, seconds),
      resident: after.resident,
      fileBytes: after.fileBytes,
    };
  };
};
