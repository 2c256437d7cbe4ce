import { ApplicationFailure, CancelledFailure, TemporalFailure } from '@temporalio/common';
import { msToNumber, type Duration } from '@temporalio/common/lib/time';
import { randomOf, type Random } from '../../../chaos/load/random';
import { clockAndChance } from '../../engine/host';
import { runMicrotasks } from '../../engine/scheduler';

/**
 * The part of `@temporalio/workflow` that the node uses, over a list of jobs instead of the SDK's sandbox.
 *
 * Source: @temporalio/workflow 1.24.0, lib/internals.js (handlers, buffered messages), lib/workflow.js (condition, sleep),
 * lib/worker-interface.js (conditions are looked at after each job, the main function begins after the first jobs), and the
 * order of jobs in the SDK's core: signals and updates first, then what was waited for.
 *
 * Left out: a cancel request to the workflow, queries beside jobs, local activities, child workflows.
 */

/** What a workflow task brings. Payloads are JSON text: each run decodes its own. */
export type Job =
  | { readonly type: 'signal'; readonly name: string; readonly input: string }
  | { readonly type: 'update'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'activity'; readonly seq: number; readonly result: string | undefined }
  | { readonly type: 'timer'; readonly seq: number };

/** What a workflow asks of the server at the end of a task. */
export type Command =
  | { readonly type: 'startTimer'; readonly seq: number; readonly ms: number }
  | { readonly type: 'cancelTimer'; readonly seq: number }
  | { readonly type: 'activity'; readonly seq: number; readonly input: string }
  | { readonly type: 'cancelActivity'; readonly seq: number }
  | { readonly type: 'attribute'; readonly value: string }
  | { readonly type: 'marker'; readonly id: string }
  | { readonly type: 'continueAsNew'; readonly input: string }
  | { readonly type: 'fail'; readonly reason: string };

/** What became of an update in a task. */
export type UpdateResult =
  | { readonly id: string; readonly state: 'rejected'; readonly failure: ApplicationFailure }
  | { readonly id: string; readonly state: 'failed'; readonly failure: TemporalFailure }
  | { readonly id: string; readonly state: 'completed'; readonly value: string };

/** A workflow task as it stands in the history, or is about to. */
export interface TaskInput {
  /** Rises from task to task. */
  readonly lastEvent: number;
  /** Epoch ms of the server's clock. */
  readonly now: number;
  readonly jobs: ReadonlyArray<Job>;
  readonly historyBytes: number;
  readonly continueAsNewSuggested: boolean;
}

/** The end of a task; `fault` where it failed, so that nothing of it counts. */
export interface TaskOutput {
  readonly commands: ReadonlyArray<Command>;
  readonly updates: ReadonlyArray<UpdateResult>;
  readonly fault?: string;
  /** What waits in the node's outbox after it. */
  readonly pending?: unknown;
}

/** A run of a workflow in the memory of a worker. */
export interface Instance {
  /** Does a task: a new one, or one of the history again, with the commands that it led to. */
  readonly activate: (task: TaskInput, replayed?: ReadonlyArray<Command>) => TaskOutput;
  /** The answer of a query, which is not copied. Throws what the handler throws. */
  readonly query: (name: string) => unknown;
}

export interface RunInfo {
  readonly workflowId: string;
  readonly runId: string;
  readonly continuedFromExecutionRunId: string | undefined;
  readonly seed: number;
  /** The argument as JSON. */
  readonly argument: string | undefined;
}

interface UpdateHandler {
  readonly handler: (payload: unknown) => unknown;
  readonly validator: ((payload: unknown) => void) | undefined;
}
type SignalHandler = (payload: unknown) => void;

interface Activation {
  readonly info: RunInfo;
  readonly random: Random;
  readonly updates: Map<string, UpdateHandler>;
  readonly signals: Map<string, SignalHandler>;
  readonly queries: Map<string, () => unknown>;
  readonly conditions: Set<{ readonly isMet: () => boolean; readonly resolve: () => void }>;
  readonly waits: Map<number, (result: string | undefined) => void>;
  readonly pending: Job[];
  /** The markers of the history, from the beginning of their tasks on. */
  readonly markers: Set<string>;
  anySignal: ((name: string, payload: unknown) => void) | undefined;
  task: TaskInput;
  replayed: ReadonlyArray<Command> | undefined;
  commands: Command[];
  results: UpdateResult[];
  fault: string | undefined;
  seqs: number;
  scope: Scope;
}

/** The run whose code runs at this moment. */
let current: Activation | undefined;
const active = (): Activation => {
  if (current === undefined) throw new Error('no workflow runs');
  return current;
};

export class ContinueAsNew extends Error {
  constructor(readonly input: string) {
    super('Workflow continued as new');
  }
}

class Scope {
  readonly #cancels: Array<() => void> = [];
  #isCancelled = false;
  readonly cancelRequested = new Promise<never>(() => undefined);
  constructor(readonly options: { readonly cancellable: boolean }) {}
  static current(): Scope {
    return active().scope;
  }
  static nonCancellable<A>(run: () => Promise<A>): Promise<A> {
    return new Scope({ cancellable: false }).run(run);
  }
  /** Its work is begun at once, so what it begins is begun within it. */
  run<A>(begin: () => Promise<A>): Promise<A> {
    const activation = active();
    const before = activation.scope;
    activation.scope = this;
    try {
      return begin();
    } finally {
      activation.scope = before;
    }
  }
  onCancel(cancel: () => void): void {
    this.#cancels.push(cancel);
  }
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    for (const cancel of this.#cancels) cancel();
  }
}

/** Begins a run in the memory of a worker; its main function is begun with its first task. */
export const createInstance = (info: RunInfo, main: (argument: unknown) => Promise<void>): Instance => {
  const activation: Activation = {
    info,
    random: randomOf(info.seed),
    updates: new Map(),
    signals: new Map(),
    queries: new Map(),
    conditions: new Set(),
    waits: new Map(),
    pending: [],
    markers: new Set(),
    anySignal: undefined,
    task: { lastEvent: 0, now: 0, jobs: [], historyBytes: 0, continueAsNewSuggested: false },
    replayed: undefined,
    commands: [],
    results: [],
    fault: undefined,
    seqs: 0,
    scope: new Scope({ cancellable: true }),
  };
  let isBegun = false;
  const begin = (): void => {
    isBegun = true;
    const { argument } = info;
    const running = main(argument === undefined ? undefined : (JSON.parse(argument) as unknown));
    running.then(
      () => activation.commands.push({ type: 'fail', reason: 'the main function ended' }),
      (error: unknown) => {
        if (error instanceof ContinueAsNew) activation.commands.push({ type: 'continueAsNew', input: error.input });
        else if (error instanceof TemporalFailure) activation.commands.push({ type: 'fail', reason: error.message });
        else activation.fault = String(error);
      },
    );
  };
  return {
    activate: (task, replayed) => {
      current = activation;
      Object.assign(activation, { task, replayed, commands: [], results: [] });
      const isFirst = !isBegun;
      for (const job of inOrder(task.jobs)) {
        take(activation, job);
        if (!isFirst) unblock(activation);
      }
      if (isFirst) begin();
      do runMicrotasks();
      while (unblock(activation));
      for (const job of activation.pending.splice(0))
        if (job.type === 'update')
          activation.results.push({
            id: job.id,
            state: 'rejected',
            failure: ApplicationFailure.nonRetryable(`No registered handler for update: ${job.name}`),
          });
      current = undefined;
      const { commands, results, fault } = activation;
      return { commands, updates: results, ...(fault !== undefined && { fault }) };
    },
    query: (name) => {
      const handler = activation.queries.get(name);
      if (handler === undefined) throw new Error(`no handler for the query ${name}`);
      current = activation;
      try {
        return handler();
      } finally {
        current = undefined;
      }
    },
  };
};

/** Signals and updates come first, then what was waited for. */
const inOrder = (jobs: ReadonlyArray<Job>): ReadonlyArray<Job> => {
  const rankOf = ({ type }: Job): number => (type === 'signal' || type === 'update' ? 0 : 1);
  return [...jobs].sort((one, other) => rankOf(one) - rankOf(other));
};

const take = (activation: Activation, job: Job): void => {
  switch (job.type) {
    case 'signal': {
      const { signals, anySignal } = activation;
      const handler = signals.get(job.name);
      if (handler === undefined && anySignal === undefined) activation.pending.push(job);
      else if (handler !== undefined) handler(JSON.parse(job.input));
      else anySignal?.(job.name, JSON.parse(job.input));
      return;
    }
    case 'update': {
      const handler = activation.updates.get(job.name);
      if (handler === undefined) activation.pending.push(job);
      else activation.results.push(...resultOf(activation, handler, job));
      return;
    }
    case 'activity':
    case 'timer': {
      const wake = activation.waits.get(job.seq);
      activation.waits.delete(job.seq);
      wake?.(job.type === 'activity' ? job.result : '');
      return;
    }
  }
};

const resultOf = (
  activation: Activation,
  { handler, validator }: UpdateHandler,
  { id, input }: Extract<Job, { readonly type: 'update' }>,
): ReadonlyArray<UpdateResult> => {
  if (activation.replayed === undefined && validator !== undefined) {
    try {
      validator(JSON.parse(input));
    } catch (failure) {
      return [{ id, state: 'rejected', failure: failure as ApplicationFailure }];
    }
  }
  try {
    return [{ id, state: 'completed', value: JSON.stringify(handler(JSON.parse(input))) }];
  } catch (failure) {
    if (failure instanceof TemporalFailure) return [{ id, state: 'failed', failure }];
    activation.fault = String(failure);
    return [];
  }
};

const unblock = ({ conditions }: Activation): boolean => {
  let isUnblocked = false;
  for (const condition of conditions) {
    if (!condition.isMet()) continue;
    conditions.delete(condition);
    condition.resolve();
    isUnblocked = true;
  }
  return isUnblocked;
};

const deliverPending = (activation: Activation): void => {
  for (const job of activation.pending.splice(0)) take(activation, job);
};

const nextSeq = (activation: Activation): number => (activation.seqs += 1);

const startTimer = (duration: Duration): { readonly fired: Promise<void>; readonly cancel: () => void } => {
  const activation = active();
  const seq = nextSeq(activation);
  activation.commands.push({ type: 'startTimer', seq, ms: msToNumber(duration) });
  const fired = new Promise<void>((resolve) => activation.waits.set(seq, () => resolve()));
  const cancel = (): void => {
    if (activation.waits.delete(seq)) activation.commands.push({ type: 'cancelTimer', seq });
  };
  return { fired, cancel };
};

const condition = async (isMet: () => boolean, timeout?: Duration): Promise<boolean> => {
  const activation = active();
  const met = new Promise<boolean>((resolve) => {
    if (isMet()) resolve(true);
    else activation.conditions.add({ isMet, resolve: () => resolve(true) });
  });
  if (timeout === undefined) return met;
  const timer = startTimer(timeout);
  const isInTime = await Promise.race([timer.fired.then(() => false), met]);
  timer.cancel();
  return isInTime;
};

const runActivity = (input: unknown): Promise<unknown> => {
  const activation = active();
  const seq = nextSeq(activation);
  activation.commands.push({ type: 'activity', seq, input: JSON.stringify(input) });
  activation.scope.onCancel(() => {
    if (activation.waits.has(seq)) activation.commands.push({ type: 'cancelActivity', seq });
  });
  return new Promise((resolve, reject) => {
    activation.waits.set(seq, (result) => {
      if (result === undefined) reject(new CancelledFailure('the activity failed or was cancelled'));
      else resolve(JSON.parse(result));
    });
  });
};

const nothing = (): void => undefined;
const define =
  (type: string) =>
  (name: string): unknown => ({ type, name });

/** What code gets for `import ... from '@temporalio/workflow'`. */
export const workflowModule = {
  ApplicationFailure,
  ContinueAsNew,
  CancellationScope: Scope,
  condition,
  sleep: (duration: Duration): Promise<void> => startTimer(duration).fired,
  continueAsNew: (input: unknown): Promise<never> => Promise.reject(new ContinueAsNew(JSON.stringify(input))),
  proxyActivities: () => ({ publishEvents: runActivity }),
  workflowInfo: () => {
    const { info, task, replayed } = active();
    const { lastEvent: historyLength, historyBytes: historySize, continueAsNewSuggested } = task;
    return {
      ...info,
      historyLength,
      historySize,
      continueAsNewSuggested,
      unsafe: { isReplaying: replayed !== undefined, now: () => task.now },
    };
  },
  /** Source: lib/internals.js, `patchInternal`: the first answer of a run that is not replayed leaves a marker. */
  patched: (id: string): boolean => {
    const { markers, replayed, commands } = active();
    if (markers.has(id)) return true;
    if (replayed?.some((command) => command.type === 'marker' && command.id === id) === false) return false;
    markers.add(id);
    commands.push({ type: 'marker', id });
    return true;
  },
  setCurrentDetails: nothing,
  upsertSearchAttributes: (pairs: ReadonlyArray<{ readonly value: unknown }>) => {
    active().commands.push({ type: 'attribute', value: JSON.stringify(pairs.map(({ value }) => value)) });
  },
  log: { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
  metricMeter: { createCounter: () => ({ add: nothing }) },
  defineUpdate: define('update'),
  defineSignal: define('signal'),
  defineQuery: define('query'),
  setDefaultSignalHandler: (handler: (name: string, payload: unknown) => void) => {
    const activation = active();
    activation.anySignal = handler;
    deliverPending(activation);
  },
  setHandler: (
    { type, name }: { readonly type: string; readonly name: string },
    handler: (payload: unknown) => unknown,
    options?: { readonly validator?: (payload: unknown) => void },
  ) => {
    const activation = active();
    if (type === 'update') activation.updates.set(name, { handler, validator: options?.validator });
    else if (type === 'signal') activation.signals.set(name, handler);
    else activation.queries.set(name, handler as () => unknown);
    deliverPending(activation);
  },
};

/** The globals of code in the sandbox: time is that of the task, chance that of the run. */
export const workflowGlobals = (): Record<string, unknown> =>
  clockAndChance(
    () => active().task.now,
    () => active().random.draw(),
  );
