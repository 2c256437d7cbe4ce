/** A wish to stop, the user's or the system's. */
export interface Interrupts {
  readonly first: AbortSignal;
  /** Aborted by a signal that comes later: stop at once. */
  readonly again: AbortSignal;
}

/** Ctrl-C reaches a process twice under npm, from the terminal and passed on by npm; what comes so soon is the same one. */
const SAME_MS = 700;

/** Listens to the signals `names` from now on; `interrupt` does as one of them. */
export const interruptsBy = (...names: ReadonlyArray<NodeJS.Signals>): Interrupts & { interrupt: () => void } => {
  const [first, again] = [new AbortController(), new AbortController()];
  let at: number | undefined;
  const interrupt = (): void => {
    const now = performance.now();
    if (now - (at ??= now) > SAME_MS) again.abort();
    first.abort();
  };
  for (const name of names) process.on(name, interrupt);
  return { first: first.signal, again: again.signal, interrupt };
};
