/*
 * When a run continues as new (docs/contributing/how-it-works.md, "Runs"). Only `nextPolicy` changes the policy, and only from
 * what the history holds, so that a replay agrees. Refused updates leave no history, so they do not change the policy. A
 * publication is a call of the activity that appends events to the stream.
 */

/** Commands after which a run continues as new, as soon as no publication is in flight. */
export const RUN_COMMANDS = 500;
/**
 * Commits after which a run continues as new, multiplied by a random number from 1 to 2. An update or a signal is one commit,
 * whatever its number of commands. The number is low, because in each task the server writes an entry of every update of the
 * run (docs/contributing/benchmarks-tables.md, "Others").
 */
export const RUN_COMMITS = 64;
export const RUN_BYTES = 2 * 1_024 * 1_024;
/** Estimated work (microseconds) after which a run continues as new: one task (at most 5 s) must be able to replay the run. */
export const RUN_WORK = 300_000;
/** Beyond these limits a run cancels a publication in flight in order to end: Temporal refuses over 2,000 updates per run. */
export const MOST_RUN_COMMANDS = 1.5 * RUN_COMMANDS;
export const MOST_RUN_BYTES = 1.5 * RUN_BYTES;
export const MOST_RUN_WORK = 1.5 * RUN_WORK;
/**
 * Commands after which a run continues as new while signals arrive. The number is low, because a signal can fail the task that
 * ends the run. The next try replays the whole run, and must end before another signal arrives and fails it, too.
 */
export const RUN_COMMANDS_WITH_SIGNALS = 100;
/** For this time (ms) after a signal, more signals are expected. */
export const SIGNALS_LAST_MS = 10_000;
/**
 * A run can end only in a task during which no signal arrives. While signals keep coming, the node helps by turns: for
 * `SENDS_BACK_MS` it sends groups back (refuses them, so that the API tries again), then it takes groups for `TAKES_GROUPS_MS`.
 */
export const SENDS_BACK_MS = 6_000;
export const TAKES_GROUPS_MS = 2_000;
const TURN_MS = SENDS_BACK_MS + TAKES_GROUPS_MS;
/**
 * Groups are sent back only if a publication ended at most this long ago (ms). While Redis is unavailable no publication ends,
 * so the run could not end, and groups would be sent back in vain.
 */
export const PUBLISHES_WITHIN_MS = 2_000;

/** What happened in a run. A `draw` is a random number from 0 to below 1. */
export type RunEvent =
  | { readonly _tag: 'Committed'; readonly commands: number; readonly work: number }
  /** A signal arrived, whatever its outcome. If it was applied at once, its `Committed` comes before this. */
  | { readonly _tag: 'Signalled' }
  /** A signal or a command was decided, and changed nothing. */
  | { readonly _tag: 'NothingChanged'; readonly work: number }
  /** A publication that began at `beganAt` (epoch ms) ended. */
  | { readonly _tag: 'Published'; readonly beganAt: number; readonly draw: number }
  | { readonly _tag: 'LookedAgain' };

/** The workflow task in which something happened, and what the server reports of the run's history. */
export interface Task {
  /** The number of the task's last event. It rises from task to task, so it distinguishes tasks. */
  readonly lastEvent: number;
  /** Time of the task (epoch ms). It stands still while the server's clock is behind the run's last task. */
  readonly now: number;
  readonly historyBytes: number;
  readonly continueAsNewSuggested: boolean;
  /** Whether more signals wait than the next run can begin with. */
  readonly signalsWait: boolean;
}

/** The policy at the beginning of a run. `signalledAt` and `publishedAt` are times of workflow tasks (epoch ms); 0: not yet. */
export const newRunPolicy = (draw: number) => ({
  commits: 0,
  /** Number of commits after which the run continues as new. */
  mostCommits: drawnCommits(0, draw),
  commands: 0,
  work: 0,
  signalledAt: 0,
  /** The last task that brought a signal, by the number of its last event. */
  signalledIn: 0,
  publishedAt: 0,
  /**
   * True if the run should end, but signals keep arriving or too many wait. The node then sends groups back, because a task
   * full of groups lasts so long that another signal arrives meanwhile.
   */
  isBlockedBySignals: false,
  /** True if the run is to end as soon as no publication is in flight. */
  shouldContinueAsNew: false,
  shouldCancelPublication: false,
});

export type RunPolicy = Readonly<ReturnType<typeof newRunPolicy>>;

const drawnCommits = (commits: number, draw: number): number => commits + RUN_COMMITS * (1 + draw);

export const nextPolicy = (run: RunPolicy, event: RunEvent, task: Task): RunPolicy => {
  const counted = count(run, event, task);
  const isQuiet = counted.signalledIn !== task.lastEvent && !task.signalsWait;
  return {
    ...counted,
    // A run does not end in a task with a signal, because another may follow: one that arrives during the task that continues
    // as new makes the server fail that task, and the task's next try replays the whole run.
    shouldContinueAsNew: isQuiet && isDue(counted, task),
    shouldCancelPublication: isQuiet && isOverdue(counted, task),
    isBlockedBySignals: isDue(counted, task) && (task.signalsWait || expectsSignals(counted, task.now)),
  };
};

const count = (run: RunPolicy, event: RunEvent, { now, lastEvent }: Task): RunPolicy => {
  switch (event._tag) {
    case 'Committed': {
      const { commands, work } = event;
      return { ...run, commits: run.commits + 1, commands: run.commands + commands, work: run.work + work };
    }
    case 'NothingChanged':
      return { ...run, work: run.work + event.work };
    case 'Signalled':
      return { ...run, signalledAt: now, signalledIn: lastEvent };
    case 'Published': {
      // After an outage of Redis a run takes more commits, so that not all nodes continue as new together before they publish.
      const wasLong = now - event.beganAt > PUBLISHES_WITHIN_MS;
      return { ...run, publishedAt: now, ...(wasLong && { mostCommits: drawnCommits(run.commits, event.draw) }) };
    }
    case 'LookedAgain':
      return run;
  }
};

/**
 * Whether to send groups back, `forMs` after `isBlockedBySignals` became true. Only validators ask, and their refusals leave no
 * history. So `forMs` may be from the worker's clock, which goes on while the server's stands still. If a clock jumps, the
 * turns go on; after a jump back `forMs` is negative.
 */
export const shouldSendBack = (run: RunPolicy, now: number, forMs: number): boolean =>
  run.isBlockedBySignals &&
  publishedRecently(run, now) &&
  forMs - TURN_MS * Math.floor(forMs / TURN_MS) < SENDS_BACK_MS;

/**
 * Whether to set a timer that begins a task without a signal, in which an overdue run can end. Often nothing else begins one:
 * a node whose outbox is full refuses all updates, and while Redis is unavailable no publication ends.
 */
export const shouldRecheck = (run: RunPolicy, event: RunEvent, task: Task): boolean =>
  (event._tag === 'Signalled' || (event._tag === 'LookedAgain' && run.signalledIn === task.lastEvent)) &&
  isOverdue(run, task);

const isDue = (run: RunPolicy, task: Task): boolean =>
  run.commands >= (expectsSignals(run, task.now) ? RUN_COMMANDS_WITH_SIGNALS : RUN_COMMANDS) ||
  run.commits >= run.mostCommits ||
  run.work >= RUN_WORK ||
  task.historyBytes >= RUN_BYTES ||
  task.continueAsNewSuggested;

const isOverdue = ({ commands, work }: RunPolicy, { historyBytes }: Task): boolean =>
  commands >= MOST_RUN_COMMANDS || work >= MOST_RUN_WORK || historyBytes >= MOST_RUN_BYTES;

const expectsSignals = ({ signalledAt }: RunPolicy, now: number): boolean => signalledAt > now - SIGNALS_LAST_MS;

const publishedRecently = ({ publishedAt }: RunPolicy, now: number): boolean => publishedAt > now - PUBLISHES_WITHIN_MS;
