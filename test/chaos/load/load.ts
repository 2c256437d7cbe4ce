import { setTimeout as sleep } from 'node:timers/promises';
import type { Asks } from './asks';
import type { Random } from './random';
import type { Recorder } from './recorder';

/** Callers that write to `nodes` until they are stopped. */
export interface LoadPlan {
  readonly recorder: Recorder;
  readonly asks: Asks;
  readonly random: Random;
  readonly nodes: ReadonlyArray<string>;
  readonly callers: number;
  /** Between two writes of a caller, on average. */
  readonly pauseMs: number;
  /** The share of writes that are sent again under their key until they are answered, and that must be refused. */
  readonly keyed?: number;
  readonly bad?: number;
}

/** Starts the callers; stopping waits until each has its last answer. */
export const startLoad = (plan: LoadPlan): { readonly stop: () => Promise<void> } => {
  const { recorder, asks, random, nodes, callers, pauseMs, keyed = 0.5, bad = 0.03 } = plan;
  let stopped = false;
  const call = async (): Promise<void> => {
    await sleep(random.draw() * pauseMs);
    while (!stopped) {
      const manner = { keyed: random.draw() < keyed, bad: random.draw() < bad, until: () => stopped };
      await recorder.send(random.pick(nodes), asks.any(), manner);
      await sleep(2 * random.draw() * pauseMs);
    }
  };
  const calling = Array.from({ length: callers }, call);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(calling);
    },
  };
};
