import type { Report } from './report';
import type { Watchdog } from './watchdog';

/** The context of everything that starts processes: report, watchdog, abort signal. */
export interface Ground {
  readonly report: Report;
  readonly watchdog: Watchdog;
  /** Aborted when the work is to end; its reason is thrown by whatever waits. */
  readonly signal: AbortSignal;
}
