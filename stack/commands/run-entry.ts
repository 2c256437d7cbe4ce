import { isFault } from '../fault';

/**
 * Runs an entry's `main` and ends the process with its exit code; a fault is one line and exit code 1, a defect its stack.
 * The process ends at once: idle connections of clients would keep it for seconds.
 */
export const runEntry = async (main: () => Promise<number>): Promise<never> => {
  try {
    return process.exit(await main());
  } catch (thrown) {
    process.stderr.write(`${isFault(thrown) ? thrown.message : stackOf(thrown)}\n`);
    return process.exit(1);
  }
};

const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
