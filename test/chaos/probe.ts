import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult, Caller } from './load/call';

/** What `/readyz` of an address says. */
export const readiness = (caller: Caller, base: string): Promise<CallResult> =>
  caller.call(base, { method: 'GET', path: '/readyz', headers: {} });

/** Asks until `holds`; the ms that it took. Errors: it did not within `deadlineMs`; the last answer tells what was wrong. */
export const eventually = async <A>(
  ask: () => Promise<A> | A,
  holds: (answer: A) => boolean,
  deadlineMs: number,
): Promise<number> => {
  const began = performance.now();
  for (;;) {
    const answer = await ask();
    const ms = performance.now() - began;
    if (holds(answer)) return ms;
    if (ms > deadlineMs) throw new Error(`after ${Math.round(ms)} ms it was still ${JSON.stringify(answer)}`);
    await sleep(25);
  }
};

export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
