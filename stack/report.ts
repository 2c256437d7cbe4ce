import { lineOf } from './fault';

/** Tells the user one line about a part of the stack. */
export type Report = (part: string, line: string) => void;

/** Lines in two columns: the part, what it did. */
export const reportTo =
  (stream: NodeJS.WritableStream): Report =>
  (part, line) =>
    void stream.write(`${part.padEnd(10)} ${line}\n`);

/** Says nothing. */
export const silent: Report = () => undefined;

/** Seconds since `begin` (epoch ms), as people read them. */
export const secondsSince = (begin: number): string => {
  const seconds = (Date.now() - begin) / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
};

/** Runs a long step; every `everyMs` it says what is done and for how long, and how far it is. */
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
