/*
 * When a run continues as new, so that the next one takes over (docs/contributing/how-it-works.md, "Runs"). Its wishes change only by
 * `afterwards`, called where the history has something: a task whose updates are all refused leaves nothing to replay.
 */

/** Commands after which a run continues as new, at the next pause between publications. */
export const RUN_COMMANDS = 500;
/**
 * Commits (an update, however many commands it brings, or a signal) that count as much, up to twice as many by chance. With each
 * task the server writes an entry of every update of the run (docs/contributing/benchmarks-tables.md, "Others").
 */
export const RUN_COMMITS = 64;
export const RUN_BYTES = 2 * 1_024 * 1_024;
/** Work (`work-estimate.ts`) that counts as much: a worker that takes the node over does it again within one workflow task (5 s). */
export const RUN_WORK = 300_000;
/** From here on a publication in flight is broken off: the server refuses updates beyond 2,000 per run. */
export const MOST_RUN_COMMANDS = 1.5 * RUN_COMMANDS;
export const MOST_RUN_BYTES = 1.5 * RUN_BYTES;
export const MOST_RUN_WORK = 1.5 * RUN_WORK;
/** Commands of a run while signals come: the replay after a failed try must end before the server forces the next one to fail. */
export const RUN_COMMANDS_WITH_SIGNALS = 100;
/** Signals that came within this time are expected to go on (ms). */
export const SIGNALS_LAST_MS = 10_000;
/** How long a node that makes room sends groups back, and how long it then takes them, in turn (ms). */
export const SENDS_BACK_MS = 6_000;
export const TAKES_GROUPS_MS = 2_000;
/** It does so only while publications end: one in flight for longer (ms), since Redis is unavailable, would not let it go on. */
export const PUBLISHES_WITHIN_MS = 2_000;

/** What happened in a run. A `draw` is a number from 0 up to 1. */
export type Happened =
  | { readonly _tag: 'Committed'; readonly commands: number; readonly work: number }
  /** A signal came, whatever became of it; after what it committed. */
  | { readonly _tag: 'Signalled' }
  /** A signal or command was decided, and changed nothing. */
  | { readonly _tag: 'NothingChanged'; readonly work: number }
  /** A publication ended, which began at `beganAt` (epoch ms). */
  | { readonly _tag: 'Published'; readonly beganAt: number; readonly draw: number }
  | { readonly _tag: 'LookedAgain' };

/** The workflow task in which something happened, and what the server reports of the history. */
export interface Task {
  /** The number of its last event, which rises from task to task: it tells tasks apart. */
  readonly lastEvent: number;
  /** Epoch ms. It stands still while the server's clock is behind the run's last task. */
  readonly now: number;
  readonly historyBytes: number;
  readonly continueAsNewSuggested: boolean;
  /** Whether more signals wait than the next run can begin with. */
  readonly signalsWait: boolean;
}

/** A run at its beginning. Times are those of workflow tasks (epoch ms); 0 for what did not happen yet. */
export const newRun = (draw: number) => ({
  commits: 0,
  /** The commits after which the run continues as new. */
  mostCommits: drawnCommits(0, draw),
  commands: 0,
  work: 0,
  signalledAt: 0,
  /** The last task that brought a signal, by its last event. */
  signalledIn: 0,
  publishedAt: 0,
  /** The run is to end, and gets signals or has too many that wait. Where groups come all the time, each task lasts long enough to bring one. */
  makesRoom: false,
  /** The run ends as soon as no publication is in flight. */
  continues: false,
  breaksOff: false,
});

export type RunPolicy = Readonly<ReturnType<typeof newRun>>;

const drawnCommits = (commits: number, draw: number): number => commits + RUN_COMMITS * (1 + draw);

export const afterwards = (run: RunPolicy, happened: Happened, task: Task): RunPolicy => {
  const counted = count(run, happened, task);
  const isQuiet = counted.signalledIn !== task.lastEvent && !task.signalsWait;
  return {
    ...counted,
    // A signal in the task that continues as new makes the server fail it, and the whole run is replayed for the next try.
    continues: isQuiet && isDue(counted, task),
    breaksOff: isQuiet && isOverdue(counted, task),
    makesRoom: isDue(counted, task) && (task.signalsWait || getsSignals(counted, task.now)),
  };
};

const count = (run: RunPolicy, happened: Happened, { now, lastEvent }: Task): RunPolicy => {
  switch (happened._tag) {
    case 'Committed': {
      const { commands, work } = happened;
      return { ...run, commits: run.commits + 1, commands: run.commands + commands, work: run.work + work };
    }
    case 'NothingChanged':
      return { ...run, work: run.work + happened.work };
    case 'Signalled':
      return { ...run, signalledAt: now, signalledIn: lastEvent };
    case 'Published': {
      // When Redis comes back, all nodes that took commands meanwhile would continue as new at once, before they publish.
      const wasLong = now - happened.beganAt > PUBLISHES_WITHIN_MS;
      return { ...run, publishedAt: now, ...(wasLong && { mostCommits: drawnCommits(run.commits, happened.draw) }) };
    }
    case 'LookedAgain':
      return run;
  }
};

/**
 * Whether groups are to come again in a moment, `forMs` after the node began to make room. Only validators ask. What they refuse
 * leaves no history, so `forMs` is by the worker's clock: the server's may stand still. A jump of either ends no turn late.
 */
export const sendsBack = (run: RunPolicy, now: number, forMs: number): boolean =>
  run.makesRoom && publishes(run, now) && Math.abs(forMs) % (SENDS_BACK_MS + TAKES_GROUPS_MS) < SENDS_BACK_MS;

/** Whether a task without a signal is to be made by a timer: a full node refuses all updates, and no publication may end. */
export const looksAgain = (run: RunPolicy, happened: Happened, task: Task): boolean =>
  (happened._tag === 'Signalled' || (happened._tag === 'LookedAgain' && run.signalledIn === task.lastEvent)) &&
  isOverdue(run, task);

const isDue = (run: RunPolicy, task: Task): boolean =>
  run.commands >= (getsSignals(run, task.now) ? RUN_COMMANDS_WITH_SIGNALS : RUN_COMMANDS) ||
  run.commits >= run.mostCommits ||
  run.work >= RUN_WORK ||
  task.historyBytes >= RUN_BYTES ||
  task.continueAsNewSuggested;

const isOverdue = ({ commands, work }: RunPolicy, { historyBytes }: Task): boolean =>
  commands >= MOST_RUN_COMMANDS || work >= MOST_RUN_WORK || historyBytes >= MOST_RUN_BYTES;

const getsSignals = ({ signalledAt }: RunPolicy, now: number): boolean => signalledAt > now - SIGNALS_LAST_MS;

const publishes = ({ publishedAt }: RunPolicy, now: number): boolean => publishedAt > now - PUBLISHES_WITHIN_MS;
