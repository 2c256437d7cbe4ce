import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** A pause before try `tries + 1`, in ms, spread so that callers do not come back together. */
export const exponential = (tries: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + Math.random() / 2);

/** Waits, less long when `signal` aborts. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
};
