import { CancelledFailure } from '@temporalio/common';
import { isDeepStrictEqual } from 'node:util';
import type { PublishActivities } from '../../../../activities/publish-events';
import { after, type Host } from '../../engine/host';
import { LATEST_MS, type NoteOf, type Weather } from '../../world/weather';
import type { ActivityOrder, Run, TaskOrder, TaskTaker } from './server';
import { createInstance, type Command, type Instance, type TaskOutput } from './workflow-module';

/** What the activity's code gets of `@temporalio/activity`. */
export interface ActivityContext {
  readonly log: { readonly warn: () => void };
  readonly heartbeat: () => void;
  readonly sleep: (ms: number) => Promise<void>;
  readonly cancellationDetails: { cancelRequested: boolean } | undefined;
}

export interface WorkerParts {
  readonly host: Host;
  readonly server: Host;
  readonly weather: Weather;
  /** Whether worker and server reach each other now. */
  readonly isLinked: () => boolean;
  readonly main: (argument: unknown) => Promise<void>;
  readonly activities: (context: ActivityContext) => PublishActivities;
  /** A replay that does not give what the history has. */
  readonly nondeterministic: (run: Run, what: string) => void;
  readonly note: NoteOf;
}

/** A node in the worker's memory, and how much of its history it has seen. */
interface Cached {
  readonly runId: string;
  readonly instance: Instance;
  known: number;
  /** Whether a task was done of which the server has not said yet that it counts. */
  isAhead: boolean;
}

const textOf = ({ updates, commands }: TaskOutput): string =>
  [
    'completes its task',
    ...updates.map(({ state }) => `an update is ${state}`),
    ...commands.map(({ type }) => type),
  ].join(', ');

/** How long a worker takes for a workflow task (ms). */
const TASK_MS = 0.5;

/**
 * A worker process: it keeps nodes in memory, replays those that it does not know, and runs activities.
 *
 * Source: https://docs.temporal.io/sticky-execution; the SDK's core gives up a run whose completion was refused or not answered.
 */
export const createWorker = (parts: WorkerParts): TaskTaker => {
  const { host, server, weather, isLinked, main, activities, nondeterministic, note } = parts;
  const cache = new Map<string, Cached>();
  const { scheduler } = host;

  const replayed = (run: Run, known: number): Cached => {
    const { workflowId, runId, seed, argument, continuedFrom } = run;
    const info = { workflowId, runId, seed, argument, continuedFromExecutionRunId: continuedFrom };
    const instance = createInstance(info, main);
    if (known > 0) note(host.name, `replays ${known} tasks of ${runId}`);
    for (const { input, commands, pending } of run.history.slice(0, known)) {
      const output = instance.activate(input, JSON.parse(commands) as ReadonlyArray<Command>);
      const again = JSON.stringify(output.commands);
      if (again !== commands) nondeterministic(run, `a replay commands ${again}, the history has ${commands}`);
      else if (!isDeepStrictEqual(instance.query('pendingEvents'), pending))
        nondeterministic(run, 'a replay has another outbox');
    }
    const cached = { runId, instance, known, isAhead: false };
    cache.set(run.workflowId, cached);
    return cached;
  };
  const nodeOf = (run: Run, known: number): Cached => {
    const cached = cache.get(run.workflowId);
    return cached?.runId === run.runId && cached.known === known && !cached.isAhead ? cached : replayed(run, known);
  };
  const evict = (cached: Cached, run: Run): void => {
    if (cache.get(run.workflowId) === cached) cache.delete(run.workflowId);
  };
  /** A message to the server. */
  const tell = (say: () => void): void => {
    if (!isLinked()) return;
    scheduler.at(scheduler.now() + weather.latency(), say, server);
  };

  return {
    name: host.name,
    polls: () => !host.isDead && isLinked(),
    take: ({ run, input, known, complete }: TaskOrder) => {
      if (!isLinked()) return;
      after(host, weather.shouldInject('temporal: completion late') ? LATEST_MS * weather.draw() : TASK_MS, () => {
        if (weather.shouldInject('worker: node evicted')) cache.delete(run.workflowId);
        const cached = nodeOf(run, known);
        const done = cached.instance.activate(input);
        const output: TaskOutput = { ...done, pending: cached.instance.query('pendingEvents') };
        cached.isAhead = true;
        note(host.name, textOf(done), 'temporal');
        if (weather.shouldInject('temporal: completion lost')) return;
        tell(() =>
          complete(output, (isCommitted, isRecorded) => {
            if (isCommitted) {
              cached.isAhead = false;
              if (isRecorded) cached.known += 1;
            } else evict(cached, run);
          }),
        );
      });
    },
    answer: (run, query, known, reply) =>
      after(host, TASK_MS, () => {
        const answer = nodeOf(run, known).instance.query(query);
        const value = JSON.stringify(answer);
        tell(() => reply({ value }));
      }),
    perform: (order: ActivityOrder) => {
      if (!isLinked()) return;
      after(host, TASK_MS, () => performed(order));
    },
  };

  function performed({ input, complete, fail, cancelled, heartbeat }: ActivityOrder): void {
    let cancel: (() => void) | undefined;
    let details: { cancelRequested: boolean } | undefined;
    const context: ActivityContext = {
      log: { warn: () => undefined },
      get cancellationDetails() {
        return details;
      },
      heartbeat: () =>
        tell(() =>
          heartbeat((goesOn, isCancelled) => {
            if (goesOn && !isCancelled) return;
            scheduler.at(
              scheduler.now() + weather.latency(),
              () => {
                details = { cancelRequested: isCancelled };
                cancel?.();
              },
              host,
            );
          }),
        ),
      sleep: (ms) =>
        new Promise((resolve, reject) => {
          cancel = () => reject(new CancelledFailure('CANCELLED'));
          if (details !== undefined) cancel();
          after(host, ms, resolve);
        }),
    };
    activities(context)
      .publishEvents(JSON.parse(input))
      .then(
        (newest) => tell(() => complete(JSON.stringify(newest))),
        (error: unknown) => tell(error instanceof CancelledFailure ? cancelled : fail),
      );
  }
};
