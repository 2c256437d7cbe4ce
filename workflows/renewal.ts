import * as wf from '@temporalio/workflow';
import { onceAfter } from './once-after';

/** Commands after which a run ends and the next takes over, at the next pause between publications. */
const RENEW_AFTER = 500;
/**
 * Commits (an update, however many commands it brings, or a signal) that count as much: so many, or up to twice as many by
 * chance, lest all nodes that are measured in turn renew at once. With each task the server writes an entry of every update
 * of the run, so they cost the more the longer a run is (docs/benchmarks.md, "Others").
 */
const RENEW_AFTER_COMMITS = 64;
/** Bytes of history that count as much. */
const RENEW_AFTER_BYTES = 2 * 1_024 * 1_024;
/** From here on a publication that is still waiting is broken off: the server refuses updates beyond 2,000 a run. */
const OVERDUE_AFTER = 1.5 * RENEW_AFTER;
const OVERDUE_AFTER_BYTES = 1.5 * RENEW_AFTER_BYTES;
/** Signals that came within this time are expected to go on. */
const SIGNALS_LAST_MS = 10_000;
/**
 * The commands of a run while there are signals: one that comes while a node renews makes the server fail the task, and the
 * replay of the run must be over before 100 more have come, or the server fails that task, too (`FORCE_CLOSE_COMMAND`).
 */
const RENEW_AFTER_WITH_SIGNALS = 100;
/** So long, at most, a node that gets signals sends groups back when it is to renew, and so long it then takes them again. */
const MAKES_ROOM_MS = 6_000;
const TAKES_GROUPS_MS = 2_000;
/** It does so only while publications end: one that hangs for longer, since Redis is away, would not let it renew. */
const PUBLISHES_WITHIN_MS = 2_000;
/** So long after a signal a node that is overdue looks for a task that brings none. */
const LOOKS_AFTER = '250 milliseconds';

/** When a run is to end so that the next one takes over (docs/reliability.md, "Renewal"). */
export interface Renewal {
  /** Commands were taken, by one update or signal. */
  readonly took: (commands: number) => void;
  /** A signal came, whatever became of it. */
  readonly signalled: () => void;
  /** A publication ended that began then, in epoch ms. */
  readonly published: (beganAt: number) => void;
  /** The run ends as soon as no publication is under way. */
  readonly isWanted: () => boolean;
  /** A publication that is under way is to be broken off. */
  readonly isOverdue: () => boolean;
  /** Groups are sent back, to come again in a moment. */
  readonly sendsBack: () => boolean;
}

/**
 * Keeps count for one run.
 *
 * What it wants is decided only where the history has something: a task in which all updates are refused leaves nothing
 * there, so what a node did in it could not be replayed.
 */
export const trackRenewal = (): Renewal => {
  let commits = 0;
  const drawnCommits = (): number => commits + RENEW_AFTER_COMMITS * (1 + Math.random());
  let mostCommits = drawnCommits();
  let handled = 0;
  /** The time of the workflow task that brought the last signal. */
  let signalledAt = 0;
  let isWanted = false;
  let isOverdue = false;
  let makesRoomUntil = 0;
  /** The time of the workflow task that brought the end of the last publication. */
  let publishedAt = 0;

  const past = (commands: number, bytes: number): boolean =>
    handled >= commands || wf.workflowInfo().historySize >= bytes;
  const getsSignals = (): boolean => signalledAt > Date.now() - SIGNALS_LAST_MS;
  const due = (): boolean =>
    past(getsSignals() ? RENEW_AFTER_WITH_SIGNALS : RENEW_AFTER, RENEW_AFTER_BYTES) ||
    commits >= mostCommits ||
    wf.workflowInfo().continueAsNewSuggested;
  const overdue = (): boolean => past(OVERDUE_AFTER, OVERDUE_AFTER_BYTES);
  // A signal that arrives in the task that renews makes the server fail it, and the whole run is replayed for the next try:
  // longer than the next signal takes. A task that brings a signal is left alone, so the try after a failed one is short.
  const isQuiet = (): boolean => signalledAt < Date.now();
  const decide = (): void => {
    isWanted = isQuiet() && due();
    isOverdue = isQuiet() && overdue();
  };
  const canRenew = (): boolean => publishedAt > Date.now() - PUBLISHES_WITHIN_MS;
  /**
   * Where groups come all the time, tasks last so long that each brings a signal, and the longer a run, the longer the replay
   * after a try that failed. So they are sent back until the node has renewed, a few tries as a rule.
   */
  const makeRoom = (): void => {
    const now = Date.now();
    if (due() && getsSignals() && canRenew() && now > makesRoomUntil + TAKES_GROUPS_MS)
      makesRoomUntil = now + MAKES_ROOM_MS;
  };
  const quietTask = onceAfter(LOOKS_AFTER, () => {
    decide();
    if (!isQuiet()) lookForQuiet(); // a signal came with the timer, and it may have been the last
  });
  /** A full node refuses all updates, and while Redis is away no publication ends: then only a timer makes a task without a signal. */
  const lookForQuiet = (): void => {
    if (overdue()) quietTask();
  };

  return {
    took: (commands) => {
      commits += 1;
      handled += commands;
      decide();
      makeRoom();
    },
    signalled: () => {
      signalledAt = Date.now();
      decide();
      makeRoom();
      lookForQuiet();
    },
    published: (beganAt) => {
      publishedAt = Date.now();
      // When Redis comes back, all nodes that took commands meanwhile would renew at once, before they publish what waits.
      if (publishedAt - beganAt > PUBLISHES_WITHIN_MS) mostCommits = drawnCommits();
      decide();
    },
    isWanted: () => isWanted,
    isOverdue: () => isOverdue,
    sendsBack: () => Date.now() < makesRoomUntil && canRenew(),
  };
};
