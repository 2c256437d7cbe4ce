import type { BenchOptions } from '../options';
import type { BenchGround } from '../stack/bench-stack';
import type { Row } from './row';

/** What every measurement is given. */
export interface Bench {
  readonly options: BenchOptions;
  readonly ground: BenchGround;
  readonly say: (line: string) => void;
  /** Keeps a row for the report, and shows it. */
  readonly note: (row: Row) => void;
}
