import type { Status } from '../alarm/status';

/**
 * A node writes its status into the search attribute at most once in this time (ms). Each write costs the server about as much as
 * a command (docs/benchmarks.md), and an alarm that flaps is not to pay that for every change.
 */
export const SHOWN_EVERY_MS = 2_000;

/** The status that was shown last, if any, and when (epoch ms); 0 for a node that begins. */
export interface ShownStatus {
  readonly status: Status | undefined;
  readonly at: number;
}

/** What is to be done so that `status` is shown: nothing, show it now, or wait until it may be shown. */
export const showing = (shown: ShownStatus, status: Status, now: number): 'isShown' | 'isDue' | 'waits' => {
  if (status === shown.status) return 'isShown';
  return now - shown.at >= SHOWN_EVERY_MS ? 'isDue' : 'waits';
};
