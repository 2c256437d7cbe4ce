/** Reports one line about a component of the stack to the user. */
export type Report = (component: string, line: string) => void;

export const reportTo =
  (stream: NodeJS.WritableStream): Report =>
  (component, line) =>
    void stream.write(`${component.padEnd(10)} ${line}\n`);

/** The seconds since `begin` (epoch ms) as text, such as `1.2 s`. */
export const secondsSince = (begin: number): string => {
  const seconds = (Date.now() - begin) / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
};

const PROGRESS_MS = 5_000;

/** Runs a long step, and reports every five seconds how long it has run and how far it is. */
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

export const reportedFault = (line: string): Fault => new Fault(line);

/** The first line of the message of anything thrown, to be quoted in a `Fault`. */
export const lineOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';

/**
 * Runs a program's `main` and ends the process with the exit code that it returns. If it throws, the exit code is 1; a `Fault`
 * is reported as one line, any other error with its stack. It calls `process.exit`, because idle connections of clients would
 * keep the process alive for seconds.
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
