/** Something that is to happen, by virtual time. */
interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  readonly host: HostState | undefined;
}

/** What decides whether the steps of a process happen. */
export interface HostState {
  isDead: boolean;
  /** Virtual time up to which nothing of it happens. */
  frozenUntil: number;
}

/** The one order of all that happens, in virtual time (ms). */
export interface Scheduler {
  readonly now: () => number;
  /** Has `run` happen at the time `at`; nothing happens where its process is dead by then, and it waits for one that is frozen. */
  readonly at: (at: number, run: () => void, host?: HostState) => void;
  /** Goes on until `isOver` or the time `until`, and returns whether it is over. */
  readonly run: (isOver: () => boolean, until: number) => boolean;
  /** How much has happened. */
  readonly steps: () => number;
}

/** The epoch (ms) at which virtual time begins. */
export const BEGINNING = Date.UTC(2026, 0, 31, 10);

/**
 * A scheduler of one thread: the earliest step happens, then every promise that it settled is followed to its end, then the
 * next step. So the same draws give the same order.
 */
export const createScheduler = (): Scheduler => {
  const heap: Planned[] = [];
  let now = 0;
  let planned = 0;
  let steps = 0;

  const isEarlier = (one: Planned, other: Planned): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);
  const push = (step: Planned): void => {
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent]!;
      if (!isEarlier(step, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = step;
  };
  const pop = (): Planned | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isEarlier(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isEarlier(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  };
  const at: Scheduler['at'] = (time, run, host) => {
    planned += 1;
    push({ at: Math.max(time, now), order: planned, run, host });
  };
  return {
    now: () => now,
    at,
    steps: () => steps,
    run: (isOver, until) => {
      while (!isOver()) {
        const step = heap[0];
        if (step === undefined || step.at > until) {
          now = Math.max(now, until);
          return isOver();
        }
        pop();
        now = step.at;
        const { host } = step;
        if (host !== undefined) {
          if (host.isDead) continue;
          if (host.frozenUntil > now) {
            push({ ...step, at: host.frozenUntil });
            continue;
          }
        }
        steps += 1;
        step.run();
        runMicrotasks();
      }
      return true;
    },
  };
};

const { _tickCallback: tick } = process as unknown as { readonly _tickCallback: () => void };

/**
 * Follows every promise that is settled to its end, at once. It is Node's own way to do so from JavaScript; it does nothing
 * where it is called from within a promise, so a simulation begins in a callback of the event loop.
 */
export const runMicrotasks = (): void => tick();
