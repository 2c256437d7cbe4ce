import type { createPublisher as CreatePublisher, StreamSettings } from '../../../stream/append';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { nodeIdOf, workflowIdOf } from '../../../workflows/messages';
import { createAsks, type Asks, commandOf } from '../../chaos/load/asks';
import { randomOf } from '../../chaos/load/random';
import { activitiesAt, SMALL_OUTBOX_EVENTS, type Graphs, type Place } from '../code/graphs';
import { clockOf, createHost, type Host } from '../engine/host';
import { createScheduler, type Scheduler } from '../engine/scheduler';
import { createRedis, type RedisLink, type RedisServer } from '../models/redis';
import { createClient } from '../models/temporal/client';
import { createServer, type TaskTaker, type TemporalServer } from '../models/temporal/server';
import { createWorker } from '../models/temporal/worker';
import { startApi, type SimulatedApi } from './api';
import { createCallers, type Callers } from './callers';
import type { Plan } from './plan';
import { createTruth, type Truth } from './truth';
import { createWeather, type Injected, type Weather } from './weather';
import { eventSettings } from '../../support/redis/event-settings';

/** One line of a trace: who did what, to whom, when (virtual ms). */
export interface Note {
  readonly at: number;
  readonly who: string;
  readonly what: string;
  /** To whom a message goes. */
  readonly to?: string;
}

/** All processes of a schedule. */
export interface World {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly weather: Weather;
  readonly redis: RedisServer;
  readonly temporal: TemporalServer;
  readonly truth: Truth;
  readonly nodes: ReadonlyArray<string>;
  readonly callers: Callers;
  readonly asks: Asks;
  readonly injected: Injected;
  readonly hosts: { readonly temporal: Host; readonly redis: Host };
  readonly apis: ReadonlyArray<SimulatedApi | undefined>;
  readonly workers: ReadonlyArray<SimulatedWorker>;
  /** Ends the process at once, as `kill -9` does. */
  readonly crashApi: (index: number) => void;
  readonly startApi: (index: number) => void;
  readonly crashWorker: (index: number) => void;
  readonly startWorker: (index: number) => void;
  /** Cuts the way between a process and a server until `until`. */
  readonly cut: (name: string, server: 'temporal' | 'redis', until: number) => void;
  readonly setTemporalUp: (isUp: boolean) => void;
  readonly signal: (nodeId: string) => Promise<void>;
  /** Resets the run of a node, as an operator does (docs/operations.md), by `tasks` tasks. */
  readonly reset: (nodeId: string, tasks: number) => void;
  /** Has a node publish what waits, as an operator does. */
  readonly publishNow: (nodeId: string) => Promise<void>;
  readonly note: (who: string, what: string, to?: string) => void;
  readonly count: (kind: string) => void;
}

export interface SimulatedWorker {
  readonly host: Host;
  readonly taker: TaskTaker;
}

const STREAM = 'events';

const eventsOf = ({ replicasRequired, maxLength }: Plan): StreamSettings =>
  eventSettings({ stream: STREAM, replicasRequired, maxLength });

/** Brings up the processes of `plan` over `graphs`. Notes are only kept where `notes` is given. */
export const createWorld = (plan: Plan, graphs: Graphs, notes?: Note[]): World => {
  const random = randomOf(plan.seed);
  const scheduler = createScheduler();
  const injected: Injected = {};
  const note = (who: string, what: string, to?: string): void => {
    notes?.push({ at: scheduler.now(), who, what, ...(to !== undefined && { to }) });
  };
  const count = (kind: string): void => {
    injected[kind] = (injected[kind] ?? 0) + 1;
  };
  const of = (): ReturnType<typeof randomOf> => randomOf(Math.floor(random.draw() * 2 ** 32));
  const weather = createWeather(plan.weather, of(), (anomaly, number) => {
    count(anomaly);
    note('weather', `${anomaly} (#${number})`);
  });
  const hosts = { temporal: createHost('temporal', scheduler, of()), redis: createHost('redis', scheduler, of()) };
  const events = eventsOf(plan);

  const cuts = new Map<string, number>();
  const isLinked = (name: string, server: string) => (): boolean =>
    (cuts.get(`${name} ${server}`) ?? 0) <= scheduler.now();

  const truth: Truth = createTruth(scheduler.now, (nodeId, sequenceId) => redis.lost.has(`${nodeId} ${sequenceId}`));
  const redis = createRedis({
    host: hosts.redis,
    weather,
    replicaLagMs: plan.replicaLagMs,
    appended: (nodeId, sequenceId) => {
      note('redis', `has ${nodeId.slice(0, 4)} ${sequenceId.slice(-4)}`);
      truth.streamTook(nodeId, sequenceId);
    },
    note: (from, what, to) => {
      note(from.name, what, to);
    },
  });

  const workers: SimulatedWorker[] = [];
  const temporal = createServer({
    host: hosts.temporal,
    weather,
    workers: () => workers.map(({ taker }) => taker),
    suggestsAfter: plan.suggestsAfter,
    committed: ({ workflowId, runId }, pending) => {
      const waiting = pending as ReadonlyArray<OutboxEvent>;
      note('temporal', `commits a task of ${runId}: ${waiting.length} events wait`);
      const nodeId = nodeIdOf(workflowId);
      truth.nodeCommitted(nodeId, waiting);
      if (waiting.length > (plan.bounds === 'small outbox' ? SMALL_OUTBOX_EVENTS : 1_000))
        truth.breach({ promise: 'bounded', nodeId, found: `${waiting.length} events wait` });
    },
    failed: ({ workflowId }, reason) => {
      truth.breach({ promise: 'task failed', nodeId: nodeIdOf(workflowId), found: reason });
    },
    wasReset: ({ workflowId, history, carried }, undone) => {
      const pendingOf = (task: { readonly pending: unknown }): ReadonlyArray<OutboxEvent> =>
        task.pending as ReadonlyArray<OutboxEvent>;
      const last = history.at(-1) ?? { pending: carried ?? [] };
      truth.nodeReset(nodeIdOf(workflowId), pendingOf(last), undone.flatMap(pendingOf), history.length === 0);
    },
    note: (what, to) => {
      note('temporal', what, to);
    },
  });
  let isTemporalUp = true;
  const clientOf = (host: Host) =>
    createClient({
      host,
      server: hosts.temporal,
      temporal,
      weather,
      isLinked: isLinked(host.name, 'temporal'),
      isUp: () => isTemporalUp,
      note: (what, from, to) => {
        note(from, what, to);
      },
    });

  const startWorker = (index: number): void => {
    const place = graphs.workers[index]!;
    const host = createHost(`worker${index + 1}`, scheduler, of());
    place.slot.host = host;
    const link = redis.connect(host, isLinked(host.name, 'redis'));
    const publisher = publisherOf(place, link);
    const taker = createWorker({
      host,
      server: hosts.temporal,
      weather,
      isLinked: isLinked(host.name, 'temporal'),
      main: graphs.pointAlarm,
      activities: (context) => activitiesAt(place, publisher, context),
      nondeterministic: ({ workflowId }, found) => {
        truth.breach({ promise: 'deterministic', nodeId: nodeIdOf(workflowId), found });
      },
      note: (what, to) => {
        note(host.name, what, to);
      },
    });
    workers[index] = { host, taker };
  };
  const publisherOf = ({ code }: Place, link: RedisLink) =>
    code.load<{ createPublisher: typeof CreatePublisher }>('stream/append.ts').createPublisher(link, events);
  for (let index = 0; index < plan.workers; index += 1) startWorker(index);

  const apis: Array<SimulatedApi | undefined> = [];
  const ends = new Map<SimulatedApi, { readonly ended: Promise<void>; readonly end: () => void }>();
  const startOne = (index: number): void => {
    const place = graphs.apis[index]!;
    const host = createHost(`api${index + 1}`, scheduler, of());
    const api = startApi(
      place,
      host,
      {
        relays: plan.relays[index] === true,
        caches: plan.caches[index] === true,
        waitingCalls: plan.waitingCalls,
        knownNodes: plan.bounds === 'small outbox' ? 1 : 8, // with one, a second node is forgotten
        events,
      },
      clientOf(host),
      () => redis.connect(host, isLinked(host.name, 'redis')),
      (what) => {
        note(host.name, what);
      },
    );
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    ends.set(api, { ended, end });
    apis[index] = api;
  };
  for (let index = 0; index < plan.apis; index += 1) startOne(index);

  const users = createHost('callers', scheduler, of());
  const asking = of();
  const asks = createAsks(asking, () => clockOf(users));
  const callers = createCallers({
    host: users,
    random: asking,
    anyApi: () => {
      const alive = apis.filter((api) => api !== undefined);
      return alive.length === 0 ? undefined : asking.pick(alive);
    },
    ended: (api) => ends.get(api)!.ended,
    isCached: (api) => plan.caches[apis.indexOf(api)] === true,
    note: (api, what, isAnswer) => {
      const { name } = api.host;
      if (isAnswer) note(name, what, 'callers');
      else note('callers', what, name);
    },
  });
  const operator = clientOf(createHost('operator', scheduler, of()));

  return {
    ...{ plan, scheduler, weather, redis, temporal, truth, callers, asks, injected, hosts, apis, workers, note, count },
    nodes: Array.from({ length: plan.nodes }, () => asking.uuid()),
    crashApi: (index) => {
      const api = apis[index];
      if (api === undefined) return;
      apis[index] = undefined;
      api.host.isDead = true;
      note(api.host.name, 'dies');
      ends.get(api)?.end();
    },
    startApi: (index) => {
      if (apis[index] === undefined) startOne(index);
    },
    crashWorker: (index) => {
      const worker = workers[index];
      if (worker === undefined || worker.host.isDead) return;
      worker.host.isDead = true;
      note(worker.host.name, 'dies');
    },
    startWorker: (index) => {
      if (workers[index]?.host.isDead === true) startWorker(index);
    },
    cut: (name, server, until) => {
      const link = `${name} ${server}`;
      cuts.set(link, Math.max(cuts.get(link) ?? 0, until));
    },
    setTemporalUp: (isUp) => {
      isTemporalUp = isUp;
    },
    reset: (nodeId, tasks) => {
      scheduler.at(
        scheduler.now(),
        () => {
          temporal.reset(workflowIdOf(nodeId), tasks);
        },
        hosts.temporal,
      );
    },
    publishNow: async (nodeId) => {
      const handle = operator(clockOf(users) + 5_000).getHandle(workflowIdOf(nodeId));
      await handle.executeUpdate('publishNow').catch(() => undefined);
    },
    signal: async (nodeId) => {
      const asked = asks.any();
      const { name, ...payload } = commandOf(asked);
      const id = asking.uuid();
      const sentAt = scheduler.now();
      note('operator', `signals ${name} ${id.slice(0, 4)}`);
      const handle = operator(clockOf(users) + 5_000).getHandle(workflowIdOf(nodeId));
      await handle.signal(name, { ...payload, userId: id }).catch(() => undefined);
      // A signal has no answer: the node may refuse it, as one with a full outbox does.
      callers.writes.push({ id, nodeId, asked, sentAt, answeredAt: Infinity, answer: 'unknown', by: undefined });
    },
  };
};

/** The name of the stream of the simulated service. */
export const streamName = STREAM;
