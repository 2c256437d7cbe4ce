/** Requests to stop, from the user or from the system. */
export interface Interrupts {
  readonly first: AbortSignal;
  /** Aborted by a second signal, which means: stop at once. */
  readonly again: AbortSignal;
}

/** Under npm, one Ctrl-C reaches a process twice within this time (ms): from the terminal and from npm. Both count as one. */
const SAME_MS = 700;

/** Listens to the signals `names` from now on. A call of `interrupt` has the same effect as a signal. */
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
