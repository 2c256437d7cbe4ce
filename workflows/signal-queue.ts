import { jsonBytes } from './domain/codecs';
import { CARRIED_SIGNALS_BYTES, WAITING_SIGNALS, WAITING_SIGNALS_BYTES } from './domain/limits';
import { applySignal, refusalIn, refusedSignal, type AppliedGroup } from './domain/node/apply-group';
import { mayBeCarried, type Node, type WaitingSignal } from './domain/node/state';
import { GROUP_WORK } from './domain/node/work-estimate';

/*
 * Signals that wait for a later workflow task, since all of a task must end within five seconds. A replay by `pas explain` runs the same
 * code (`cli/run-steps.ts`), so it depends on nothing but the history.
 */

/**
 * Time until the next turn of what waits (ms), and until signals without room are refused while no publication ends. No other timer
 * of a node lasts as long: `pas explain` knows them by it.
 */
export const TURN_AFTER_MS = 1;
export const ROOM_WITHIN_MS = 10_000;

/** The signals that wait, in the order of arrival; at first those that the run before left. */
export const newWaitingSignals = (carried: ReadonlyArray<WaitingSignal>) => {
  const line = carried.map((signal) => ({ signal, bytes: jsonBytes(signal) }));
  let bytes = line.reduce((sum, one) => sum + one.bytes, 0);
  return {
    first: (): WaitingSignal | undefined => line[0]?.signal,
    all: (): ReadonlyArray<WaitingSignal> => line.map(({ signal }) => signal),
    /** Those of all, as JSON. */
    bytes: (): number => bytes,
    /** Answers false where there is no room for it. */
    push: (signal: WaitingSignal): boolean => {
      const own = jsonBytes(signal);
      const most = line.length < WAITING_SIGNALS ? WAITING_SIGNALS_BYTES : CARRIED_SIGNALS_BYTES;
      if (bytes + own > most) return false;
      line.push({ signal, bytes: own });
      bytes += own;
      return true;
    },
    shift: (): void => {
      bytes -= line.shift()?.bytes ?? 0;
    },
  };
};

interface Parts {
  readonly node: () => Node;
  readonly waiting: ReturnType<typeof newWaitingSignals>;
  /** Whether signals may wait in this run; asked where one would. */
  readonly mayWait: () => boolean;
  /** Commits what a signal came to, or reports its refusal. */
  readonly settle: (signal: WaitingSignal, applied: AppliedGroup) => void;
  /** Told of the work of a signal that goes on waiting. */
  readonly decidesInVain: (work: number) => void;
}

/**
 * A signal is taken at once while none waits and those of its task took less work than a group may take. Others wait in the order of
 * arrival for turns of as much work. One without room in the outbox waits for the next publication.
 */
export const newSignalQueue = ({ node, waiting, mayWait, settle, decidesInVain }: Parts) => {
  let task = 0;
  let work = 0;
  let needsRoom = false;
  let publishes = true;
  const mayWaitWith = ({ payload }: WaitingSignal): boolean => mayBeCarried(payload) && mayWait();
  /** Answers false where the signal has to wait for room. */
  const taken = (signal: WaitingSignal, now: number, settled: () => void): boolean => {
    const applied = applySignal(node(), signal.name, signal.payload, now);
    const ownWork = applied.work + applied.postponedWork;
    work += ownWork;
    needsRoom = refusalIn(applied)?._tag === 'OutboxFull' && publishes && mayWaitWith(signal);
    if (needsRoom) decidesInVain(ownWork);
    else {
      settled();
      settle(signal, applied);
    }
    return !needsRoom;
  };
  return {
    /** Takes a signal that came with the workflow task `inTask`, or has it wait. */
    take: (signal: WaitingSignal, inTask: number, now: number): void => {
      if (task !== inTask) [task, work] = [inTask, 0];
      const isBusy = waiting.first() !== undefined || work >= GROUP_WORK;
      const waits = isBusy && mayWaitWith(signal);
      if (!waits && taken(signal, now, () => undefined)) return;
      if (!waiting.push(signal)) settle(signal, refusedSignal(node()));
    },
    /** Takes what waits, at most a group's work of it. */
    takeTurn: (now: number): void => {
      work = 0;
      for (let first = waiting.first(); first !== undefined && work < GROUP_WORK; first = waiting.first())
        if (!taken(first, now, waiting.shift)) return;
    },
    /** Whether the first that waits does so for room in the outbox. */
    needsRoom: (): boolean => needsRoom,
    /** A publication ended. */
    published: (): void => {
      [publishes, needsRoom] = [true, false];
    },
    /** No publication ended for long: what needs room is refused until one does. */
    giveUp: (): void => {
      [publishes, needsRoom] = [false, false];
    },
  };
};
