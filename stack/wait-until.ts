import { setTimeout as delay } from 'node:timers/promises';
import { exitText, type Child } from './child';
import { fault, lineOf } from './fault';
import { secondsSince } from './report';

/** Bounds of a wait. */
export interface Wait {
  readonly what: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Its death ends the wait. */
  readonly child?: Child;
  /** Called every 15 s with the reason why the wait goes on. */
  readonly notice?: (line: string) => void;
}

const NOTICE_MS = 15_000;

/**
 * Repeats `probe` until it gives a value.
 *
 * Errors: a fault that quotes the last lines of the child's log when it died or the deadline passed; the signal's reason.
 */
export const waitUntil = async <A>(
  probe: () => Promise<A>,
  { what, deadlineMs, signal, child, notice }: Wait,
): Promise<A> => {
  const begin = Date.now();
  let noticed = begin;
  for (;;) {
    signal.throwIfAborted();
    const found = await probe().then(
      (value) => ({ value }),
      (thrown: unknown) => ({ why: lineOf(thrown) }),
    );
    if ('value' in found) return found.value;
    if (child?.isRunning() === false) {
      const exit = await child.exited;
      signal.throwIfAborted(); // the watcher of the child may have aborted already
      throw fault(`${what} ended with ${exitText(exit)}${logOf(child)}`);
    }
    if (Date.now() - begin > deadlineMs)
      throw fault(`${what} does not answer after ${secondsSince(begin)} (${found.why})${child ? logOf(child) : ''}`);
    if (Date.now() - noticed > NOTICE_MS) {
      noticed = Date.now();
      notice?.(`not ready after ${secondsSince(begin)} (${found.why})`);
    }
    await delay(50);
  }
};

const logOf = (child: Child): string => {
  const lines = child
    .tail()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-6);
  return `; its log is ${child.log}${lines.length === 0 ? ', and empty' : ` and ends:\n  ${lines.join('\n  ')}`}`;
};

export { within } from '../process/within';
