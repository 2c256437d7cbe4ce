import { isAlive, knownProcess, statOf, type KnownProcess } from './pid-lock.cjs';

/** A wish to stop: the user's, or the system's. */
export interface Interrupts {
  /** Aborted by the first signal. */
  readonly first: AbortSignal;
  /** Aborted by one that comes later: stop at once. */
  readonly again: AbortSignal;
}

/** Ctrl-C reaches us twice under npm, from the terminal and passed on by npm; what comes so soon is the same one. */
const SAME_MS = 700;
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens to SIGINT, SIGTERM and SIGHUP from now on. Under npm the death of npm or of its shell counts as well: killed
 * alone, they pass nothing on.
 */
export const listenForInterrupts = (underNpm = process.env['npm_lifecycle_event'] !== undefined): Interrupts => {
  const [first, again] = [new AbortController(), new AbortController()];
  let at = 0;
  const interrupt = (): void => {
    if (at === 0) at = Date.now();
    else if (Date.now() - at > SAME_MS) again.abort();
    first.abort();
  };
  for (const name of NAMES) process.on(name, interrupt);
  if (underNpm) whenNpmDies(interrupt);
  return { first: first.signal, again: again.signal };
};

const whenNpmDies = (then: () => void): void => {
  const [parent, npm] = [process.ppid, npmAbove()];
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isAlive(npm))) return;
    clearInterval(timer);
    then();
  }, 1_000);
  timer.unref();
};

/**
 * The npm that runs us, the parent of its shell or of us; undefined where the system does not show it. Neither passes on what
 * it cannot: npm a kill -9, the shell a SIGTERM.
 */
const npmAbove = (): KnownProcess | undefined => {
  const parent = statOf(process.ppid);
  if (parent === undefined) return undefined;
  return knownProcess(/^(npm|node)/.test(parent.name) ? process.ppid : parent.parent);
};
