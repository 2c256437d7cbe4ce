import * as wf from '@temporalio/workflow';
import { createNodeCounter } from './create-node-counter';
import { refusalIn, type AppliedGroup } from './domain/node/apply-group';
import { commandNames, commands, isCommandName } from './domain/node/commands';
import type { WaitingSignal } from './domain/node/state';
import { signals, unreadableSignal } from './messages';
import { createTimer, type Run } from './run';
import { isUnreadable, failTaskIfUnreadable } from './sandbox';
import { newSignalQueue, ROOM_WITHIN_MS, TURN_AFTER_MS } from './signal-queue';

/**
 * Sets the handlers for single commands as signals. Some signals are applied in later workflow tasks (`signal-queue.ts`). Calls
 * `commit` for each signal that changes the node.
 */
export const handleSignals = (run: Run, commit: (applied: AppliedGroup) => void) => {
  const finishSignal = ({ name }: WaitingSignal, applied: AppliedGroup): void => {
    try {
      const refusal = refusalIn(applied);
      if (refusal !== undefined) {
        // The log omits the reasons, which would quote the payload.
        const faults = 'reasons' in refusal ? { faults: refusal.reasons.length } : {};
        reportRefusedSignal(name, refusal._tag, faults);
      }
      if (applied.events.length > 0) commit(applied);
      else run.recordUnchanged(applied.work + applied.postponedWork);
    } catch (defect) {
      reportSignalDefect(name, defect);
    }
  };
  const { node, waitingSignals: waiting, recordUnchanged } = run;
  const queue = newSignalQueue({ node, waiting, finishSignal, recordUnchanged });
  const applyTurn = (): void => {
    queue.applyTurn(Date.now());
    run.recordRunEvent({ _tag: 'LookedAgain' });
    scheduleNextTurn();
  };
  const turnTimer = createTimer(TURN_AFTER_MS, applyTurn);
  const outboxRoomTimer = createTimer(ROOM_WITHIN_MS, () => {
    queue.refuseUntilPublished();
    applyTurn();
  });
  /** Has waiting signals applied: in the next turn or, if the first one needs room in the outbox, after a publication. */
  const scheduleNextTurn = (): void => {
    if (waiting.first() === undefined) return;
    if (!queue.needsRoom()) {
      turnTimer.start();
      return;
    }
    outboxRoomTimer.start();
    run.publishByActivity(); // the events that fill the outbox may have been left to the API
  };

  const isUnreadableSignal = createUnreadableSignalCheck();
  const handleSignal = (name: string, payload: unknown): void => {
    const isRefused = isUnreadableSignal(payload);
    try {
      if (isRefused) reportRefusedSignal(isCommandName(name) ? name : 'unknown', 'Unreadable');
      else if (isCommandName(name)) queue.submit({ name, payload }, wf.workflowInfo().historyLength, Date.now());
      else {
        // Anybody may invent names, so a name must not become a label of the metric.
        refusedSignals.add(1, { command: 'unknown', rejection: 'Unknown' });
        wf.log.warn('a signal of an unknown name', { name: name.slice(0, 64) });
      }
    } catch (defect) {
      reportSignalDefect(name, defect);
    } finally {
      run.recordRunEvent({ _tag: 'Signalled' });
      scheduleNextTurn();
    }
  };
  scheduleNextTurn();
  // The default handler is set first: it alone gets all signals that arrived earlier, whatever their name, in order of arrival.
  wf.setDefaultSignalHandler(handleSignal);
  for (const name of commandNames) {
    const { description } = commands[name];
    wf.setHandler(signals[name], handleSignal.bind(undefined, name), { description });
  }
  return {
    /** Call this when a publication has ended: the events of waiting signals may now fit into the outbox. */
    onPublished: (): void => {
      queue.onPublished();
      outboxRoomTimer.cancel();
      scheduleNextTurn();
    },
  };
};

/**
 * Creates a function to call with the payload of each signal, in order. It returns true if the payload could not be read when
 * the signal arrived, so that the signal is refused. Workers may have different keys, so a marker in the history makes a replay
 * refuse the same signals. If any other payload cannot be read, the workflow task fails.
 */
const createUnreadableSignalCheck = (): ((payload: unknown) => boolean) => {
  let signals = 0;
  return (payload) => {
    signals += 1;
    const mayBe = wf.workflowInfo().unsafe.isReplaying || isUnreadable(payload);
    if (mayBe && wf.patched(unreadableSignal(signals))) return true;
    failTaskIfUnreadable(payload);
    return false;
  };
};

const refusedSignals = createNodeCounter('refusedSignals');

const reportRefusedSignal = (command: string, rejection: string, more: object = {}): void => {
  refusedSignals.add(1, { command, rejection });
  wf.log.warn('a signal was refused', { command, rejection, ...more });
};

const reportSignalDefect = (command: string, defect: unknown): void => {
  refusedSignals.add(1, { command, rejection: 'Defect' });
  wf.log.error('a signal could not be applied', { command, defect: String(defect) });
};
