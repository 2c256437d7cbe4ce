import * as wf from '@temporalio/workflow';
import { counting } from './counting';
import { refusalIn, type AppliedGroup } from './domain/node/apply-group';
import { commandNames, commands, isCommandName } from './domain/node/commands';
import type { WaitingSignal } from './domain/node/state';
import { signals, unreadableSignal } from './messages';
import { onceAfter, signalsMayWait, type Run } from './run';
import { isUnreadable, mustBeReadable } from './sandbox';
import { newSignalQueue, ROOM_WITHIN_MS, TURN_AFTER_MS } from './signal-queue';

/**
 * Takes single commands as signals of their names, some of them in later tasks (`signal-queue.ts`); calls `commit` with each that
 * changes the node.
 */
export const takeSignals = (run: Run, commit: (applied: AppliedGroup) => void) => {
  const settle = ({ name }: WaitingSignal, applied: AppliedGroup): void => {
    try {
      const refusal = refusalIn(applied);
      if (refusal !== undefined) {
        // It has no answer: its refusal is logged and counted, without its reasons, which would quote the payload.
        const faults = 'reasons' in refusal ? { faults: refusal.reasons.length } : {};
        refused(name, refusal._tag, faults);
      }
      if (applied.events.length > 0) commit(applied);
      else run.decidesInVain(applied.work + applied.postponedWork);
    } catch (defect) {
      failed(name, defect);
    }
  };
  const { node, waitingSignals: waiting, decidesInVain } = run;
  const queue = newSignalQueue({ node, waiting, mayWait: signalsMayWait, settle, decidesInVain });
  const takeTurn = (): void => {
    queue.takeTurn(Date.now());
    run.happens({ _tag: 'LookedAgain' });
    goOn();
  };
  const nextTurn = onceAfter(TURN_AFTER_MS, takeTurn);
  const givesUp = onceAfter(ROOM_WITHIN_MS, () => {
    queue.giveUp();
    takeTurn();
  });
  /** Has what waits taken: by the next turn, or after the next publication. */
  const goOn = (): void => {
    if (waiting.first() === undefined) return;
    if (!queue.needsRoom()) {
      nextTurn.start();
      return;
    }
    givesUp.start();
    run.publishesItself(); // what it waits for may have been left to the API
  };

  const wasUnreadable = unreadableOnce();
  const signalled = (name: string, payload: unknown): void => {
    const isRefused = wasUnreadable(payload);
    try {
      if (isRefused) refused(isCommandName(name) ? name : 'unknown', 'Unreadable');
      else if (isCommandName(name)) queue.take({ name, payload }, wf.workflowInfo().historyLength, Date.now());
      else {
        refusedSignals.add(1, { command: 'unknown', rejection: 'Unknown' }); // anybody may invent a name
        wf.log.warn('a signal of an unknown name', { name: name.slice(0, 64) });
      }
    } catch (defect) {
      failed(name, defect);
    } finally {
      run.happens({ _tag: 'Signalled' });
      goOn();
    }
  };
  goOn();
  // Signals that came before the run are delivered in the order of arrival only by the handler for any name.
  wf.setDefaultSignalHandler(signalled);
  for (const name of commandNames) {
    const { description } = commands[name];
    wf.setHandler(signals[name], signalled.bind(undefined, name), { description });
  }
  return {
    /** A publication ended, so there may be room. */
    published: (): void => {
      queue.published();
      givesUp.cancel();
      goOn();
    },
  };
};

/**
 * Tells of each signal of a run, in order, whether it is refused because nobody could read it when it came. Workers may differ in
 * their keys, so a marker in the history has a replay refuse the same. What was read then must be readable now.
 */
const unreadableOnce = (): ((payload: unknown) => boolean) => {
  let signals = 0;
  return (payload) => {
    signals += 1;
    const mayBe = wf.workflowInfo().unsafe.isReplaying || isUnreadable(payload);
    if (mayBe && wf.patched(unreadableSignal(signals))) return true;
    mustBeReadable(payload);
    return false;
  };
};

const refusedSignals = counting('refusedSignals');

const refused = (command: string, rejection: string, more: object = {}): void => {
  refusedSignals.add(1, { command, rejection });
  wf.log.warn('a signal was refused', { command, rejection, ...more });
};

const failed = (command: string, defect: unknown): void => {
  refusedSignals.add(1, { command, rejection: 'Defect' });
  wf.log.error('a signal could not be applied', { command, defect: String(defect) });
};
