import { jsonBytes } from './domain/codecs';
import { CARRIED_SIGNALS_BYTES, WAITING_SIGNALS, WAITING_SIGNALS_BYTES } from './domain/limits';
import { applySignal, refusalIn, refusedSignal, type AppliedGroup } from './domain/node/apply-group';
import { mayBeCarried, type Node, type WaitingSignal } from './domain/node/state';
import { GROUP_WORK } from './domain/node/work-estimate';

/*
 * Signals that wait for a later workflow task, because all work of a task must end within five seconds. `pas explain` replays
 * runs with the code of this file (`cli/run-steps.ts`), so the code may depend on nothing but the history.
 */

/**
 * Durations (ms) of the two timers for waiting signals. When the first ends, the node applies the next of them. When the second
 * ends, signals whose events do not fit into the outbox are refused, unless a publication ended meanwhile. `pas explain`
 * recognises both timers by these durations, so no other timer of a node may have them.
 */
export const TURN_AFTER_MS = 1;
export const ROOM_WITHIN_MS = 10_000;

/** The waiting signals in the order of arrival. They begin with the signals that the previous run left. */
export const newWaitingSignals = (carried: ReadonlyArray<WaitingSignal>) => {
  const queue = carried.map((signal) => ({ signal, bytes: jsonBytes(signal) }));
  let bytes = queue.reduce((sum, one) => sum + one.bytes, 0);
  return {
    first: (): WaitingSignal | undefined => queue[0]?.signal,
    all: (): ReadonlyArray<WaitingSignal> => queue.map(({ signal }) => signal),
    /** Size of all waiting signals as JSON. */
    bytes: (): number => bytes,
    /** Adds `signal` to the waiting signals. Returns false, and adds nothing, if their limits leave no room. */
    push: (signal: WaitingSignal): boolean => {
      const own = jsonBytes(signal);
      const most = queue.length < WAITING_SIGNALS ? WAITING_SIGNALS_BYTES : CARRIED_SIGNALS_BYTES;
      if (bytes + own > most) return false;
      queue.push({ signal, bytes: own });
      bytes += own;
      return true;
    },
    shift: (): void => {
      bytes -= queue.shift()?.bytes ?? 0;
    },
  };
};

interface Parts {
  readonly node: () => Node;
  readonly waiting: ReturnType<typeof newWaitingSignals>;
  /** Commits the result of a signal, or reports its refusal. */
  readonly finishSignal: (signal: WaitingSignal, applied: AppliedGroup) => void;
  /** Called with the work (microseconds) that was spent on deciding a signal that then has to wait. */
  readonly recordUnchanged: (work: number) => void;
}

/**
 * Applies a signal at once if none waits and the earlier signals of the same workflow task took less work than `GROUP_WORK`.
 * Otherwise the signal waits. Turns, begun by timers, apply waiting signals in the order of arrival, until the turn's work
 * reaches `GROUP_WORK`. A signal whose events do not fit into the outbox waits until a publication ends.
 */
export const newSignalQueue = ({ node, waiting, finishSignal, recordUnchanged }: Parts) => {
  let task = 0;
  let work = 0;
  let needsRoom = false;
  let awaitsPublication = true;
  /** Applies the signal. Returns false if the signal has to wait because its events do not fit into the outbox. */
  const tryApply = (signal: WaitingSignal, now: number, onApplied: () => void): boolean => {
    const applied = applySignal(node(), signal.name, signal.payload, now);
    const ownWork = applied.work + applied.postponedWork;
    work += ownWork;
    needsRoom = refusalIn(applied)?._tag === 'OutboxFull' && awaitsPublication && mayBeCarried(signal.payload);
    if (needsRoom) recordUnchanged(ownWork);
    else {
      onApplied();
      finishSignal(signal, applied);
    }
    return !needsRoom;
  };
  return {
    /** Applies a signal that came in the workflow task `inTask`, or lets it wait, or refuses it if too many wait. */
    submit: (signal: WaitingSignal, inTask: number, now: number): void => {
      if (task !== inTask) [task, work] = [inTask, 0];
      const isBusy = waiting.first() !== undefined || work >= GROUP_WORK;
      const waits = isBusy && mayBeCarried(signal.payload);
      if (!waits && tryApply(signal, now, () => undefined)) return;
      if (!waiting.push(signal)) finishSignal(signal, refusedSignal(node()));
    },
    /** Applies waiting signals until their work reaches `GROUP_WORK`, or one needs room in the outbox. */
    applyTurn: (now: number): void => {
      work = 0;
      for (let first = waiting.first(); first !== undefined && work < GROUP_WORK; first = waiting.first())
        if (!tryApply(first, now, waiting.shift)) return;
    },
    /** Whether the first waiting signal waits because its events do not fit into the outbox. */
    needsRoom: (): boolean => needsRoom,
    onPublished: (): void => {
      [awaitsPublication, needsRoom] = [true, false];
    },
    /** No publication ended in time: until one ends, signals whose events do not fit in the outbox are refused. */
    refuseUntilPublished: (): void => {
      [awaitsPublication, needsRoom] = [false, false];
    },
  };
};
