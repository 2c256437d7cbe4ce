import type { ExitCode } from './exit-codes';
import type { Surroundings } from './surroundings';

/** Runs the work of a command and keeps its exit code. */
export type Act = (work: (surroundings: Surroundings) => Promise<ExitCode>) => Promise<void>;
