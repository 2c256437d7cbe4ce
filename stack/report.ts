import { lineOf } from './fault';

/** Reports one line about a component of the stack to the user. */
export type Report = (component: string, line: string) => void;

/** Writes lines in two columns: component, message. */
export const reportTo =
  (stream: NodeJS.WritableStream): Report =>
  (component, line) =>
    void stream.write(`${component.padEnd(10)} ${line}\n`);

/** Reports nothing. */
export const silent: Report = () => undefined;

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
  const say = (line: string): void => {
    report(component, line);
  };
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
