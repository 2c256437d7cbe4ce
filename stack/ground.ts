import type { Report } from './report';
import type { Watchdog } from './watchdog';

/** What everything that starts processes stands on: where it reports, who cleans up after it, and when it must give up. */
export interface Ground {
  readonly report: Report;
  readonly watchdog: Watchdog;
  /** Aborted when the work is to end; its reason is thrown by whatever waits. */
  readonly signal: AbortSignal;
}
