import type { Row } from '../measure/row';

/** All that a run showed, as it is kept beside its tables. */
export interface Report {
  readonly mode: string;
  /** When it began, in UTC. */
  readonly at: string;
  readonly command: string;
  readonly machine: Machine;
  readonly rows: ReadonlyArray<Row>;
}

/** Where it ran. */
export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly system: string;
  /** Processes that wanted to run when it began, the mean of a minute: more than a few tenths, and others were at work. */
  readonly load: number;
  readonly versions: Readonly<Record<string, string>>;
}
