/** Reports one line about a component of the stack to the user. */
export type Report = (component: string, line: string) => void;

export const reportTo =
  (stream: NodeJS.WritableStream): Report =>
  (component, line) =>
    void stream.write(`${component.padEnd(10)} ${line}\n`);

/** Seconds since `begin` (epoch ms), as people read them. */
export const secondsSince = (begin: number): string => {
  const seconds = (Date.now() - begin) / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
};

const PROGRESS_MS = 5_000;

/** Runs a long step; reports its name, time and progress every five seconds. */
export const withProgress = async <A>(
  report: Report,
  [component, doing]: readonly [string, string],
  step: () => Promise<A>,
  detail = (): string => '',
): Promise<A> => {
  const begin = Date.now();
  const say = (line: string): void => report(component, line);
  say(`${doing} ...`);
  const timer = setInterval(() => {
    say(`${doing}: ${secondsSince(begin)}${detail()}`);
  }, PROGRESS_MS);
  try {
    const result = await step();
    say(`${doing}: done in ${secondsSince(begin)}`);
    return result;
  } catch (thrown) {
    say(`${doing}: failed after ${secondsSince(begin)}: ${lineOf(thrown)}`);
    throw thrown;
  } finally {
    clearInterval(timer);
  }
};

/** An expected failure of a command, reported as one line without a stack. Any other exception is a defect. */
export class Fault extends Error {}

export const fault = (line: string): Fault => new Fault(line);

/** The one line of anything thrown, for a reason inside a fault. */
export const lineOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';

/**
 * Runs an entry's `main` and ends the process with its exit code; a fault is one line and exit code 1, a defect its stack.
 * The process ends at once: idle connections of clients would keep it for seconds.
 */
export const runEntry = async (main: () => Promise<number>): Promise<never> => {
  try {
    return process.exit(await main());
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Fault ? thrown.message : stackOf(thrown)}\n`);
    return process.exit(1);
  }
};

const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
