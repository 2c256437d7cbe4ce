import type * as Append from '../../../stream/append';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { nextUlid } from '../../../workflows/domain/ulid';
import { nodeIdOf, workflowIdOf } from '../../../workflows/messages';
import { createRequestSource, commandOf } from '../../chaos/load/requests';
import { randomOf, type Random } from '../../chaos/load/random';
import { eventSettings } from '../../support/redis/event-settings';
import { activitiesAt, SMALL_OUTBOX_EVENTS, type Graphs } from '../code/graphs';
import { clockOf, createHost, type Host } from '../engine/host';
import { createScheduler } from '../engine/scheduler';
import { createRedis, type RedisServer } from '../models/redis';
import { createClient } from '../models/temporal/client';
import { createServer, type TaskTaker } from '../models/temporal/server';
import { createWorker } from '../models/temporal/worker';
import { startApi, type SimulatedApi } from './api';
import { createCallers } from './callers';
import type { Plan, ServerName } from './plan';
import { createTruth, type Truth } from './truth';
import { createWeather, type NoteOf } from './weather';

/** One line of a trace: who did what, to whom, when (virtual ms). */
export interface Note {
  readonly at: number;
  readonly who: string;
  readonly what: string;
  /** To whom a message goes. */
  readonly to?: string;
}

type SimulatedWorker = { readonly host: Host; readonly taker: TaskTaker };

/** The name of the stream of the simulated service. */
export const STREAM = 'events';

/** All processes of a schedule. */
export type World = ReturnType<typeof createWorld>;

/** Brings up the processes of `plan` over `graphs`. Notes are only kept where `notes` is given. */
export const createWorld = (plan: Plan, graphs: Graphs, notes?: Note[]) => {
  const random = randomOf(plan.seed);
  const scheduler = createScheduler();
  /** The faults that were injected, by kind. */
  const injected: Record<string, number> = {};
  const note: NoteOf = (who, what, to) => {
    notes?.push({ at: scheduler.now(), who, what, ...(to !== undefined && { to }) });
  };
  const count = (kind: string): void => {
    injected[kind] = (injected[kind] ?? 0) + 1;
  };
  const of = (): Random => randomOf(Math.floor(random.draw() * 2 ** 32));
  const weather = createWeather(plan.weather, of(), (anomaly, number) => {
    count(anomaly);
    note('weather', `${anomaly} (#${number})`);
  });
  const servers = { temporal: createHost('temporal', scheduler, of()), redis: createHost('redis', scheduler, of()) };
  const { replicasRequired, maxLength } = plan;
  const events = eventSettings({ stream: STREAM, replicasRequired, maxLength });

  const cuts = new Map<string, number>();
  const isLinked = (name: string, server: ServerName) => (): boolean =>
    (cuts.get(`${name} ${server}`) ?? 0) <= scheduler.now();

  const truth: Truth = createTruth(scheduler.now, (nodeId, sequenceId) => redis.lost.has(`${nodeId} ${sequenceId}`));
  const redis: RedisServer = createRedis({
    host: servers.redis,
    weather,
    replicaLagMs: plan.replicaLagMs,
    appended: (nodeId, sequenceId) => {
      note('redis', `has ${nodeId.slice(0, 4)} ${sequenceId.slice(-4)}`);
      truth.streamTook(nodeId, sequenceId);
    },
    note,
  });

  const workers: SimulatedWorker[] = [];
  const temporal = createServer({
    host: servers.temporal,
    weather,
    workers: () => workers.map(({ taker }) => taker),
    suggestsAfter: plan.suggestsAfter,
    committed: ({ workflowId, runId }, pending) => {
      const waiting = pending as ReadonlyArray<OutboxEvent>;
      note('temporal', `commits a task of ${runId}: ${waiting.length} events wait`);
      const nodeId = nodeIdOf(workflowId);
      truth.nodeCommitted(nodeId, waiting);
      if (waiting.length > (plan.bounds === 'small outbox' ? SMALL_OUTBOX_EVENTS : 1_000))
        truth.breach('bounded', nodeId, `${waiting.length} events wait`);
    },
    failed: ({ workflowId }, reason) => truth.breach('task failed', nodeIdOf(workflowId), reason),
    note,
  });
  let isTemporalUp = true;
  const clientOf = (host: Host) =>
    createClient({
      ...{ host, server: servers.temporal, temporal, weather, note },
      isLinked: isLinked(host.name, 'temporal'),
      isUp: () => isTemporalUp,
    });

  const startWorker = (index: number): void => {
    const place = graphs.workers[index]!;
    const host = createHost(`worker${index + 1}`, scheduler, of());
    place.slot.host = host;
    const link = redis.connect(host, isLinked(host.name, 'redis'));
    const publisher = place.code.load<typeof Append>('stream/append.ts').createPublisher(link, events);
    const taker = createWorker({
      ...{ host, server: servers.temporal, weather, note },
      isLinked: isLinked(host.name, 'temporal'),
      main: graphs.pointAlarm,
      activities: (context) => activitiesAt(place, publisher, context),
      nondeterministic: ({ workflowId }, found) => truth.breach('deterministic', nodeIdOf(workflowId), found),
    });
    workers[index] = { host, taker };
  };
  for (let index = 0; index < plan.workers; index += 1) startWorker(index);

  const apis: Array<SimulatedApi | undefined> = [];
  const ends = new Map<SimulatedApi, { readonly ended: Promise<void>; readonly end: () => void }>();
  const startOne = (index: number): void => {
    const host = createHost(`api${index + 1}`, scheduler, of());
    const api = startApi(
      graphs.apis[index]!,
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
      (what) => note(host.name, what),
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
  const requests = createRequestSource(asking, () => clockOf(users));
  const callers = createCallers({
    host: users,
    random: asking,
    anyApi: () => {
      const alive = apis.filter((api) => api !== undefined);
      return alive.length === 0 ? undefined : asking.pick(alive);
    },
    ended: (api) => ends.get(api)!.ended,
    isCached: (api) => plan.caches[apis.indexOf(api)] === true,
    note,
  });
  const operator = clientOf(createHost('operator', scheduler, of()));
  /** What an operator does with the workflow of a node. */
  const handleOf = (nodeId: string) => operator(clockOf(users) + 5_000).getHandle(workflowIdOf(nodeId));

  const nodes = Array.from({ length: plan.nodes }, () => asking.uuid());
  if (plan.livedAheadMs > 0) {
    const last = nextUlid('', clockOf(servers.temporal) + plan.livedAheadMs, [0.5, 0.5]);
    redis.remember(`${STREAM}:published`, new Map(nodes.map((nodeId) => [nodeId, last])));
  }

  const indexOf = (name: string): number => Number(name.at(-1)) - 1;
  return {
    ...{ plan, scheduler, weather, redis, temporal, truth, callers, requests, injected, servers, apis, note, count },
    nodes,
    /** The process of that name that lives, or died last; none where an API is dead. */
    hostOf: (name: string): Host | undefined => {
      if (name === 'temporal' || name === 'redis') return servers[name];
      return (name.startsWith('api') ? apis : workers)[indexOf(name)]?.host;
    },
    /** Ends an API or a worker at once, as `kill -9` does. */
    crash: (name: string): void => {
      const api = name.startsWith('api') ? apis[indexOf(name)] : undefined;
      const host = api?.host ?? (name.startsWith('api') ? undefined : workers[indexOf(name)]?.host);
      if (host === undefined || host.isDead) return;
      host.isDead = true;
      note(name, 'dies');
      if (api === undefined) return;
      apis[indexOf(name)] = undefined;
      ends.get(api)?.end();
    },
    /** Starts it again where it is dead. */
    start: (name: string): void => {
      const index = indexOf(name);
      if (name.startsWith('api')) {
        if (apis[index] === undefined) startOne(index);
      } else if (workers[index]?.host.isDead === true) startWorker(index);
    },
    /** Cuts the way between a process and a server until `until`. */
    cut: (name: string, server: ServerName, until: number): void => {
      const link = `${name} ${server}`;
      cuts.set(link, Math.max(cuts.get(link) ?? 0, until));
    },
    setTemporalUp: (isUp: boolean): void => {
      isTemporalUp = isUp;
    },
    signal: async (nodeId: string): Promise<void> => {
      const asked = requests.any();
      const { name, ...payload } = commandOf(asked);
      const id = asking.uuid();
      const sentAt = scheduler.now();
      note('operator', `signals ${name} ${id.slice(0, 4)}`);
      await handleOf(nodeId)
        .signal(name, { ...payload, userId: id })
        .catch(() => undefined);
      // A signal has no answer: the node may refuse it, as one with a full outbox does.
      callers.writes.push({ id, nodeId, asked, sentAt, answeredAt: Infinity, answer: 'unknown', by: undefined });
    },
  };
};
