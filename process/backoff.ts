/** Exponential growth of pauses between tries, in ms, from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Ratio of a pause to the one before; default 2. */
  readonly factor?: number;
}

/** The pause (ms) after `tries` earlier ones, jittered to 0.5-1x so that callers that failed together do not return together. */
export const backoffMs = (
  { firstMs, longestMs, factor = 2 }: Backoff,
  tries: number,
  random: () => number = Math.random,
): number => Math.min(longestMs, firstMs * factor ** tries) * (0.5 + random() / 2);

/** By the global timer, which tests can replace. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
