import { exitText, type Child } from '../../../stack/child';

/** What a part is made of: its newest child, and how it is started again with the same port and files. */
export interface PartPlan {
  readonly name: string;
  readonly child: () => Child;
  /** Starts it again; it may not be ready yet. */
  readonly startAgain: () => Promise<void>;
  /** Waits until it answers. */
  readonly ready: () => Promise<void>;
}

/** A process of the stack that may be hurt. */
export interface Part {
  readonly name: string;
  /** kill -9; waits until it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: it keeps its connections and says nothing. */
  readonly freeze: () => void;
  /** SIGCONT. */
  readonly thaw: () => void;
  /** SIGTERM; waits until it ended by itself, and says how and after how many ms. */
  readonly terminate: () => Promise<{ readonly exit: string; readonly ms: number }>;
  readonly start: () => Promise<void>;
  /** Starts it where it is dead, and waits until it answers. */
  readonly startIfGone: () => Promise<void>;
  readonly ready: () => Promise<void>;
}

const ENDS_WITHIN_MS = 30_000;

export const part = ({ name, child, startAgain, ready }: PartPlan): Part => ({
  name,
  kill: async () => {
    child().signal('SIGKILL');
    await child().exited;
  },
  freeze: () => {
    child().signal('SIGSTOP');
  },
  thaw: () => {
    child().signal('SIGCONT');
  },
  terminate: async () => {
    const began = performance.now();
    child().signal('SIGTERM');
    const late = setTimeout(() => {
      child().signal('SIGKILL');
    }, ENDS_WITHIN_MS);
    const exit = await child().exited;
    clearTimeout(late);
    return { exit: exitText(exit), ms: Math.round(performance.now() - began) };
  },
  start: startAgain,
  startIfGone: async () => {
    if (!child().isRunning()) await startAgain();
    await ready();
  },
  ready,
});
