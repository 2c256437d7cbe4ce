import type { Random } from '../../chaos/load/random';
import { BEGINNING, type HostState, type Scheduler } from './scheduler';

/** A simulated process, from its start to its end. */
export interface Host extends HostState {
  readonly name: string;
  readonly random: Random;
  /** How far its clock is from virtual time (ms). */
  clockOffset: number;
  /** By how much its steps come late (ms), as where it gets no processor time. */
  lateMs: number;
  readonly scheduler: Scheduler;
  timers: number;
}

export const createHost = (name: string, scheduler: Scheduler, random: Random): Host => ({
  name,
  random,
  scheduler,
  isDead: false,
  frozenUntil: 0,
  clockOffset: 0,
  lateMs: 0,
  timers: 0,
});

/** The epoch ms of the host's own clock. */
export const clockOf = (host: Host): number => Math.floor(BEGINNING + host.scheduler.now() + host.clockOffset);

/** Has `run` happen after `ms` of the host's steady clock. */
export const after = (host: Host, ms: number, run: () => void): void =>
  host.scheduler.at(host.scheduler.now() + Math.max(0, ms) + host.lateMs, run, host);

/** A place where processes run one after the other: code is loaded once, and belongs to the process of now. */
export type Slot = { host: Host };

class Timer {
  isCancelled = false;
  constructor(
    readonly host: Host,
    readonly work: () => void,
    readonly everyMs: number | undefined,
  ) {
    host.timers += 1;
  }
  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.host.timers -= 1;
  }
  begin(ms: number): this {
    after(this.host, ms, () => {
      if (this.isCancelled) return;
      if (this.everyMs === undefined) this.cancel();
      else this.begin(this.everyMs);
      this.work();
    });
    return this;
  }
  unref(): this {
    return this;
  }
  ref(): this {
    return this;
  }
}

/** The globals of code that runs in `slot`: timers, clocks and chance of its process. */
export const globalsOf = (slot: Slot, counted: (all: Sized) => void = () => undefined): Record<string, unknown> => {
  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) timer.cancel();
  };
  return {
    setTimeout: (work: (...given: ReadonlyArray<unknown>) => void, ms = 0, ...given: ReadonlyArray<unknown>) =>
      new Timer(slot.host, given.length === 0 ? work : () => work(...given), undefined).begin(ms),
    setInterval: (work: () => void, ms: number) => new Timer(slot.host, work, ms).begin(ms),
    clearTimeout: clear,
    clearInterval: clear,
    performance: { now: () => slot.host.scheduler.now() },
    ...clockAndChance(
      () => clockOf(slot.host),
      () => slot.host.random.draw(),
    ),
    Map: class<K, V> extends Map<K, V> {
      constructor(entries?: Iterable<readonly [K, V]>) {
        super(entries);
        counted(this);
      }
    },
    Set: class<A> extends Set<A> {
      constructor(values?: Iterable<A>) {
        super(values);
        counted(this);
      }
    },
  };
};

/** `Date` and `Math` for code whose time (epoch ms) is `now` and whose chance is `draw`. */
export const clockAndChance = (now: () => number, draw: () => number): Record<string, unknown> => {
  class OwnDate extends Date {
    constructor(...given: ReadonlyArray<unknown>) {
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }
    static override now(): number {
      return now();
    }
  }
  const math: unknown = Object.create(Math, { random: { value: draw } });
  return { Date: OwnDate, Math: math };
};

/** A collection whose growth is watched. */
export type Sized = { readonly size: number };
