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

/** Runs a long step; reports its name, time and progress every `everyMs`. */
export const withProgress = async <A>(
  say: (line: string) => void,
  doing: string,
  step: () => Promise<A>,
  { everyMs = 5_000, detail = () => '' }: { readonly everyMs?: number; readonly detail?: () => string } = {},
): Promise<A> => {
  const begin = Date.now();
  say(`${doing} ...`);
  const timer = setInterval(() => {
    say(`${doing}: ${secondsSince(begin)}${detail()}`);
  }, everyMs);
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
