import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../process/in-parallel';
import type { Calls, Nodes } from './calls';
import { coresBetween, resourceUseOf } from './machine';
import type { BenchStack } from './stack';
import { createTimes, quantilesOf, record } from './times';

/** Which calls are made, how, and for how long. Calls within the warm-up do not count. */
export interface Load {
  readonly calls: Calls;
  readonly nodes: Nodes;
  /** Either callers, each of whom calls again once its last call is answered, or calls at fixed times. */
  readonly pattern: { readonly callers: number } | { readonly perSecond: number };
  readonly warmUpMs: number;
  readonly windowMs: number;
}

/** Measured numbers. Their names are heads of columns in the report, or `cores <process>`. */
export type Figures = Readonly<Record<string, number>>;

/**
 * Makes the calls of a load. Returns the figures of the measured window, with the times of answered calls, and the error of a
 * failed call, if any. At the end it waits for the calls in flight, as Temporal's client cannot cancel a call that waits for
 * its retry.
 */
export const applyLoad = async (
  stack: BenchStack,
  { calls, nodes, pattern, warmUpMs, windowMs }: Load,
  signal: AbortSignal,
): Promise<{ readonly figures: Figures; readonly fault: string | undefined }> => {
  const times = createTimes();
  const faults: string[] = [];
  const { call, close } = await calls.open(stack, nodes);
  const inFlight = new Set<Promise<void>>();
  const make: Make = async (number, since = performance.now()) => {
    const made = call(number).then((fault) => {
      if (fault === '') record(times, performance.now() - since);
      else faults.push(fault);
      inFlight.delete(made);
    });
    inFlight.add(made);
    await made;
  };
  let isOver = false;
  const goesOn = (): boolean => !isOver;
  void ('callers' in pattern
    ? inParallel(numbers(Infinity), pattern.callers, make, goesOn)
    : atFixedTimes(pattern.perSecond, make, goesOn));
  try {
    await sleep(warmUpMs, undefined, { signal });
    times.reset();
    const [failedBefore, before] = [faults.length, resourceUseOf(stack)];
    await sleep(windowMs, undefined, { signal });
    const [{ p50, p99, max }, after] = [quantilesOf(times), resourceUseOf(stack)];
    const figures = {
      'Calls/s': (1_000 * times.count) / (after.at - before.at),
      failed: faults.length - failedBefore,
      'p50 ms': p50,
      'p99 ms': p99,
      'max ms': max,
      'p99/p50': p99 / p50,
      ...named((name) => `cores ${name}`, coresBetween(before, after)),
      ...named((name) => `${name} MB`, after.megabytes),
      'database MB': after.databaseBytes / 1e6,
      'database KB per call': (after.databaseBytes - before.databaseBytes) / 1e3 / Math.max(1, times.count),
    };
    return { figures, fault: faults[0] };
  } finally {
    isOver = true;
    await Promise.all(inFlight);
    await close();
  }
};

/** Makes call `number`, and records the time from `since` to its answer. */
type Make = (number: number, since?: number) => Promise<void>;

const named = (nameOf: (name: string) => string, values: Figures): Figures =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [nameOf(name), value]));

export function* numbers(end: number): Generator<number, undefined> {
  for (let number = 0; number < end; number += 1) yield number;
}

/** Makes calls at fixed times. A call's time counts from when it is due, so that it shows whether the service falls behind. */
const atFixedTimes = async (perSecond: number, make: Make, goesOn: () => boolean): Promise<void> => {
  const begin = performance.now();
  const dueAt = (number: number): number => begin + (number * 1_000) / perSecond;
  let next = 0;
  while (goesOn()) {
    for (; dueAt(next) <= performance.now(); next += 1) void make(next, dueAt(next));
    await sleep(1);
  }
};
