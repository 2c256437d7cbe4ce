import type { TemporalFailure } from '@temporalio/common';
import { clockOf, type Host } from '../../engine/host';
import type { NoteOf, Weather } from '../../world/weather';
import { faults, type Fault } from './errors';
import type { Command, Job, TaskInput, TaskOutput, UpdateResult } from './workflow-module';

/**
 * The part of Temporal's server that nodes and API use: runs with their histories, updates, signals, queries, activities,
 * timers.
 *
 * Source: temporalio/temporal v1.31.2. Each anomaly stands with the line that makes it. test/integration/simulation sends
 * the same updates to a real server, and finds the same outcomes.
 *
 * Left out: visibility, namespaces, shards, limits of size and rate.
 */

/** How a call ends: with JSON text, or a fault. */
export type Reply = (answer: { readonly value: string } | { readonly fault: Fault }) => void;

/** A task of the history, with what came of it. */
export interface HistoryTask {
  readonly input: TaskInput;
  /** What waited in the outbox after it, and the commands: by both a replay is compared. */
  readonly pending: unknown;
  readonly commands: string;
}

interface Update {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  state: 'admitted' | 'sent' | 'over';
  outcome?: { readonly value: string } | { readonly failure: TemporalFailure };
  waiters: Reply[];
}

interface Task {
  readonly isSpeculative: () => boolean;
  isStarted: boolean;
  jobs: ReadonlyArray<Job>;
  updates: ReadonlyArray<Update>;
  input?: TaskInput;
}

interface Activity {
  readonly seq: number;
  readonly input: string;
  readonly scheduledAt: number;
  attempt: number;
  /** Changes with each attempt; a message of an earlier one counts for nothing. */
  token: number;
  heartbeatAt: number;
  isCancelRequested: boolean;
}

/** A run of a node. */
export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly continuedFrom: string | undefined;
  readonly seed: number;
  readonly argument: string | undefined;
  /** What waited in the outbox when it began. */
  readonly carried: unknown;
  readonly history: HistoryTask[];
  readonly updates: Map<string, Update>;
  readonly activities: Map<number, Activity>;
  readonly timers: Set<number>;
  /** Events that the next task brings, and those that came while one was in flight. */
  events: Job[];
  buffered: Job[];
  queries: Array<() => void>;
  task: Task | undefined;
  sticky: TaskTaker | undefined;
  bytes: number;
  isClosed: boolean;
}

type Accepted = (isCommitted: boolean, isRecorded: boolean) => void;

/** A workflow task on its way to a worker. */
export interface TaskOrder {
  readonly run: Run;
  readonly input: TaskInput;
  /** The tasks before it. */
  readonly known: number;
  readonly complete: (output: TaskOutput, accepted: Accepted) => void;
}

/** An activity on its way to a worker. */
export interface ActivityOrder {
  readonly input: string;
  readonly complete: (result: string) => void;
  readonly fail: () => void;
  readonly cancelled: () => void;
  /** Answers whether the attempt counts, and whether it is to be cancelled. */
  readonly heartbeat: (answer: (goesOn: boolean, isCancelled: boolean) => void) => void;
}

/** A worker, as the server sees it. */
export interface TaskTaker {
  readonly name: string;
  /** Whether it polls, as far as the server knows. */
  readonly polls: () => boolean;
  readonly take: (order: TaskOrder) => void;
  readonly answer: (run: Run, query: string, known: number, reply: Reply) => void;
  readonly perform: (order: ActivityOrder) => void;
}

export interface ServerParts {
  readonly host: Host;
  readonly weather: Weather;
  readonly workers: () => ReadonlyArray<TaskTaker>;
  /** After so many tasks of a run the server suggests to continue as new. */
  readonly suggestsAfter: number;
  /** Called with what a committed task left of the run. */
  readonly committed: (run: Run, pending: unknown) => void;
  readonly failed: (run: Run, reason: string) => void;
  readonly note: NoteOf;
}

/** Time (ms) of the server's own limits: `STICKY_TIMEOUT_MS`, `workflowTaskTimeout`, and those of the publish activity. */
const STICKY_MS = 3_000;
const TASK_MS = 5_000;
const HEARTBEAT_MS = 6_000;
const ACTIVITY_MS = 600_000;
const RETRY = { firstMs: 500, longestMs: 5_000 };

export type UpdateRequest = { readonly id: string; readonly name: string; readonly input: string };

export interface TemporalServer {
  /** Starts a run as an operator does, without an argument. */
  readonly begin: (workflowId: string) => void;
  /** `start`: the argument of a run that is begun where there is none. */
  readonly update: (
    workflowId: string,
    request: UpdateRequest,
    start: { readonly argument?: string } | undefined,
    reply: Reply,
  ) => void;
  readonly poll: (workflowId: string, updateId: string, reply: Reply) => void;
  readonly query: (workflowId: string, name: string, reply: Reply) => void;
  readonly signal: (workflowId: string, name: string, input: string, reply: Reply) => void;
  /** Ends all that is only in memory, as the end of its process does. */
  readonly forget: () => void;
}

export const createServer = (parts: ServerParts): TemporalServer => {
  const { host, weather, workers } = parts;
  const note = (what: string, to?: string): void => parts.note(host.name, what, to);
  const { scheduler } = host;
  const runs = new Map<string, Run>();
  let made = 0;
  let tokens = 0;
  const later = (ms: number, run: () => void): void => scheduler.at(scheduler.now() + ms, run, host);

  const begin = (workflowId: string, argument: string | undefined, before?: Run): Run => {
    made += 1;
    const run: Run = {
      workflowId,
      runId: `run-${made}`,
      continuedFrom: before?.runId,
      seed: Math.floor(host.random.draw() * 2 ** 32),
      argument,
      carried: before?.history.at(-1)?.pending,
      history: [],
      updates: new Map(),
      activities: new Map(),
      timers: new Set(),
      events: [],
      buffered: [],
      queries: [],
      task: undefined,
      sticky: before?.sticky,
      bytes: 0,
      isClosed: false,
    };
    runs.set(workflowId, run);
    return run;
  };

  const admitted = (run: Run): ReadonlyArray<Update> =>
    [...run.updates.values()].filter(({ state }) => state === 'admitted');
  const isNew = (run: Run): boolean => run.history.length === 0;

  /** A run has one task at a time. */
  const ensureTask = (run: Run, ms = 0): void => {
    if (run.isClosed || run.task !== undefined) return;
    if (run.events.length === 0 && admitted(run).length === 0 && !isNew(run)) {
      for (const ask of run.queries.splice(0)) ask();
      return;
    }
    const task: Task = {
      // A task that only brings updates is in memory only: `history.enableSpeculativeWorkflowTask`.
      isSpeculative: () => run.events.length === 0 && task.jobs.every(({ type }) => type === 'update') && !isNew(run),
      isStarted: false,
      jobs: [],
      updates: [],
    };
    run.task = task;
    later(ms, () => dispatch(run, task, run.sticky));
  };
  const dispatch = (run: Run, task: Task, sticky: TaskTaker | undefined): void => {
    if (run.task !== task || task.isStarted || run.isClosed) return;
    if (sticky !== undefined && !sticky.polls()) {
      later(STICKY_MS, () => dispatch(run, task, undefined));
      return;
    }
    const taker = sticky ?? anyWorker(() => dispatch(run, task, undefined));
    if (taker !== undefined) start(run, task, taker);
  };
  /** Any worker that polls; where there is none, `again` comes a moment later. */
  const anyWorker = (again: () => void): TaskTaker | undefined => {
    const polling = workers().filter((one) => one.polls());
    const taker = polling[Math.floor(host.random.draw() * polling.length)];
    if (taker === undefined) later(100, again);
    return taker;
  };
  const start = (run: Run, task: Task, taker: TaskTaker): void => {
    task.isStarted = true;
    task.updates = admitted(run);
    for (const update of task.updates) update.state = 'sent';
    task.jobs = [
      ...run.events,
      ...task.updates.map(({ id, name, input }): Job => ({ type: 'update', id, name, input })),
    ];
    task.input = {
      lastEvent: run.history.length + 1,
      // The time of a run never goes back: the SDK's core, workflow_machines.rs, set_current_time.
      now: Math.max(clockOf(host), run.history.at(-1)?.input.now ?? 0),
      jobs: task.jobs,
      historyBytes: run.bytes,
      continueAsNewSuggested: run.history.length >= parts.suggestsAfter,
    };
    run.sticky = taker;
    note(`task of ${run.runId}: ${task.jobs.map(({ type }) => type).join(', ') || 'begin'}`, taker.name);
    later(TASK_MS, () => timeOut(run, task));
    // A task is lost where its worker ends, or its poll ends, in that moment: temporalio/temporal, matching's poll forwarding.
    if (weather.shouldInject('temporal: task lost on its way')) return;
    const order: TaskOrder = {
      run,
      input: task.input,
      known: run.history.length,
      complete: (output, accepted) => complete(run, task, taker, output, accepted),
    };
    scheduler.at(scheduler.now() + weather.latency(), () => taker.take(order));
  };
  /** Its events and updates come with the next try: the updates wait in the registry, and are sent again. */
  const timeOut = (run: Run, task: Task): void => {
    if (run.task !== task) return;
    note(`Temporal gives up the task of ${run.runId}`);
    for (const update of task.updates) if (update.state === 'sent') update.state = 'admitted';
    abandon(run);
    ensureTask(run);
  };
  /** A task that failed: its updates end with it (`WorkflowTaskFailed`), its events come again. */
  const fail = (run: Run, task: Task, ms: number): void => {
    for (const update of task.updates) end(run, update, faults.lostTask);
    abandon(run);
    ensureTask(run, ms);
  };
  const abandon = (run: Run): void => {
    run.task = undefined;
    run.sticky = undefined;
    run.events.push(...run.buffered.splice(0));
  };
  const end = (run: Run, update: Update, fault: Fault): void => {
    run.updates.delete(update.id);
    for (const reply of update.waiters.splice(0)) reply({ fault });
  };

  const complete = (run: Run, task: Task, taker: TaskTaker, output: TaskOutput, accepted: Accepted): void => {
    if (run.task !== task || run.isClosed) {
      accepted(false, false); // `Workflow task not found`
      return;
    }
    const { commands, updates, fault } = output;
    if (fault !== undefined) {
      parts.failed(run, fault);
      fail(run, task, 1_000);
      accepted(false, false);
      return;
    }
    const next = commands.find((command) => command.type === 'continueAsNew');
    if (next !== undefined && run.buffered.length > 0) {
      note(`UnhandledCommand: events came while ${run.runId} wanted to continue as new`);
      fail(run, task, 0);
      accepted(false, false);
      return;
    }
    const isSpeculative = task.isSpeculative() && run.events.length === 0;
    const isRejected = updates.every(({ state }) => state === 'rejected');
    run.task = undefined;
    const isRecorded = !(isSpeculative && isRejected && commands.length === 0);
    if (isRecorded) record(run, task, output);
    for (const result of updates) answer(run, result);
    if (isRecorded) parts.committed(run, output.pending);
    carryOut(run, taker, commands);
    run.events = run.buffered.splice(0);
    accepted(true, isRecorded);
    if (next === undefined) ensureTask(run);
    else continueAsNew(run, next.input);
  };
  const record = (run: Run, { input }: Task, { updates, commands, pending }: TaskOutput): void => {
    const rejected = new Set(updates.filter(({ state }) => state === 'rejected').map(({ id }) => id));
    if (input === undefined) return;
    const jobs = input.jobs.filter((job) => job.type !== 'update' || !rejected.has(job.id));
    run.history.push({ input: { ...input, jobs }, commands: JSON.stringify(commands), pending });
    for (const job of jobs) run.bytes += bytesOf(job);
  };
  const bytesOf = (job: Job): number => ('input' in job ? job.input.length : 100);
  const answer = (run: Run, result: UpdateResult): void => {
    const update = run.updates.get(result.id) ?? forgotten(result.id);
    update.state = 'over';
    run.updates.set(update.id, update);
    const outcome = result.state === 'completed' ? { value: result.value } : { failure: result.failure };
    // A rejection leaves nothing: the same id is decided anew.
    if (result.state === 'rejected') run.updates.delete(result.id);
    else update.outcome = outcome;
    for (const reply of update.waiters.splice(0)) respond(outcome, reply);
  };
  /** What a restarted server knows of an update that a worker accepts: its acceptance stands in the history. */
  const forgotten = (id: string): Update => ({ id, name: '', input: '', state: 'sent', waiters: [] });
  const respond = (outcome: NonNullable<Update['outcome']>, reply: Reply): void => {
    if ('value' in outcome) reply(outcome);
    else reply({ fault: { type: 'update failed', failure: outcome.failure } });
  };
  const carryOut = (run: Run, taker: TaskTaker, commands: ReadonlyArray<Command>): void => {
    for (const command of commands) {
      if (command.type === 'startTimer') {
        startTimer(run, command.seq, command.ms);
      } else if (command.type === 'cancelTimer') run.timers.delete(command.seq);
      else if (command.type === 'activity') {
        const activity = activityOf(run, command);
        attempt(run, activity, taker.polls() ? taker : undefined); // `system.enableActivityEagerExecution`
      } else if (command.type === 'cancelActivity') {
        const activity = run.activities.get(command.seq);
        if (activity !== undefined) activity.isCancelRequested = true;
      } else if (command.type === 'fail') {
        run.isClosed = true;
        parts.failed(run, `the node ended: ${command.reason}`);
      }
    }
  };
  const startTimer = (run: Run, seq: number, ms: number): void => {
    run.timers.add(seq);
    later(ms, () => {
      if (run.timers.delete(seq)) happen(run, { type: 'timer', seq });
    });
  };
  const activityOf = (run: Run, { seq, input }: { readonly seq: number; readonly input: string }): Activity => {
    const now = scheduler.now();
    const activity: Activity = {
      ...{ seq, input, scheduledAt: now, attempt: 0, token: 0, heartbeatAt: now, isCancelRequested: false },
    };
    run.activities.set(seq, activity);
    return activity;
  };
  /** An event of the history: a task in flight does not bring it. */
  const happen = (run: Run, job: Job): void => {
    if (run.isClosed) return;
    if (run.task?.isStarted === true) run.buffered.push(job);
    else run.events.push(job);
    ensureTask(run);
  };

  const attempt = (run: Run, activity: Activity, eager: TaskTaker | undefined): void => {
    if (run.activities.get(activity.seq) !== activity || run.isClosed) return;
    const taker = eager ?? anyWorker(() => attempt(run, activity, undefined));
    if (taker === undefined) return;
    tokens += 1;
    const token = tokens;
    Object.assign(activity, { token, heartbeatAt: scheduler.now(), attempt: activity.attempt + 1 });
    const counts = (): boolean =>
      run.activities.get(activity.seq) === activity && activity.token === token && !run.isClosed;
    const over = (result: string | undefined): void => {
      if (!counts()) return;
      run.activities.delete(activity.seq);
      happen(run, { type: 'activity', seq: activity.seq, result });
    };
    const again = (): void => {
      if (!counts()) return;
      if (activity.isCancelRequested || scheduler.now() - activity.scheduledAt > ACTIVITY_MS) {
        over(undefined);
        return;
      }
      activity.token = 0;
      later(Math.min(RETRY.longestMs, RETRY.firstMs * 2 ** (activity.attempt - 1)), () =>
        attempt(run, activity, undefined),
      );
    };
    const watch = (): void => {
      if (!counts()) return;
      const left = activity.heartbeatAt + HEARTBEAT_MS - scheduler.now();
      if (left <= 0) again();
      else later(left, watch);
    };
    later(HEARTBEAT_MS, watch);
    note('activity: publish', taker.name);
    const order: ActivityOrder = {
      input: activity.input,
      complete: over,
      fail: again,
      cancelled: () => over(undefined),
      heartbeat: (reply) => {
        const goesOn = counts();
        if (goesOn) activity.heartbeatAt = scheduler.now();
        reply(goesOn, activity.isCancelRequested);
      },
    };
    scheduler.at(scheduler.now() + weather.latency(), () => taker.perform(order));
  };

  const continueAsNew = (run: Run, argument: string): void => {
    run.isClosed = true;
    note(`${run.runId} continues as new`);
    // Updates that came too late for the last task meet the end of the run: `ErrWorkflowClosing`.
    for (const update of [...run.updates.values()]) if (update.state !== 'over') end(run, update, faults.closing);
    const next = begin(run.workflowId, argument, run);
    next.events = [];
    const asks = run.queries.splice(0);
    next.queries.push(...asks);
    ensureTask(next);
  };

  const admit = (run: Run, request: UpdateRequest, reply: Reply): void => {
    const known = run.updates.get(request.id);
    if (known?.outcome !== undefined) respond(known.outcome, reply);
    else if (known !== undefined) known.waiters.push(reply);
    else {
      run.updates.set(request.id, { ...request, state: 'admitted', waiters: [reply] });
      ensureTask(run);
    }
  };
  const openRun = (workflowId: string): Run | undefined => {
    const run = runs.get(workflowId);
    return run?.isClosed === false ? run : undefined;
  };
  const ask = (run: Run, name: string, reply: Reply, isTried = false): void => {
    const again = (tried: boolean): void => ask(openRun(run.workflowId) ?? run, name, reply, tried);
    const { sticky } = run;
    if (run.isClosed) reply({ fault: faults.notFound });
    else if (run.task !== undefined) run.queries.push(() => again(false));
    else if (sticky !== undefined && !sticky.polls() && !isTried)
      later(STICKY_MS, () => {
        run.sticky = run.sticky === sticky ? undefined : run.sticky;
        again(true);
      });
    else {
      const taker = sticky?.polls() === true ? sticky : anyWorker(() => again(isTried));
      const known = run.history.length;
      if (taker !== undefined)
        scheduler.at(scheduler.now() + weather.latency(), () => taker.answer(run, name, known, reply));
    }
  };

  return {
    begin: (workflowId) => ensureTask(begin(workflowId, undefined)),
    update: (workflowId, request, start, reply) => {
      const run = openRun(workflowId) ?? (start === undefined ? undefined : begin(workflowId, start.argument));
      if (run === undefined) reply({ fault: faults.notFound });
      else admit(run, request, reply);
    },
    poll: (workflowId, updateId, reply) => {
      const update = openRun(workflowId)?.updates.get(updateId);
      if (update === undefined) reply({ fault: faults.notFound });
      else if (update.outcome === undefined) update.waiters.push(reply);
      else respond(update.outcome, reply);
    },
    query: (workflowId, name, reply) => {
      const run = openRun(workflowId);
      if (run === undefined) reply({ fault: faults.notFound });
      else ask(run, name, reply);
    },
    signal: (workflowId, name, input, reply) => {
      const run = openRun(workflowId);
      if (run === undefined) {
        reply({ fault: faults.notFound });
        return;
      }
      happen(run, { type: 'signal', name, input });
      reply({ value: '' });
    },
    forget: () => {
      for (const run of runs.values()) {
        if (run.isClosed) continue;
        for (const update of [...run.updates.values()]) if (update.state !== 'over') end(run, update, faults.dropped);
        run.queries = [];
        const { task } = run;
        // A speculative task is gone; another one stands in the history, and its time-out with it.
        if (task !== undefined && task.isSpeculative()) {
          run.task = undefined;
          run.events.push(...run.buffered.splice(0));
          ensureTask(run);
        } else if (task !== undefined) task.updates = [];
      }
    },
  };
};
