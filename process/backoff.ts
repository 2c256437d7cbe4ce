/** Pauses (ms) between tries, which grow exponentially from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Ratio of a pause to the one before; default 2. */
  readonly factor?: number;
}

/** The next pause (ms) after `tries` earlier pauses, jittered to 0.5-1x, so that callers that failed together spread out. */
export const backoffMs = ({ firstMs, longestMs, factor = 2 }: Backoff, tries: number): number =>
  Math.min(longestMs, firstMs * factor ** tries) * (0.5 + Math.random() / 2);

/** Waits for `ms`, or until `signal` aborts. It uses the global `setTimeout`, which tests can replace. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
    if (signal?.aborted === true) wake();
  });
