import { Registry } from 'prom-client';
import type { QueuesState } from '../../../api/admission/queue-metrics';
import type * as Nodes from '../../../api/nodes/nodes';
import type * as ReadCache from '../../../api/nodes/read-cache';
import type * as Relay from '../../../api/nodes/relay';
import type * as Calls from '../../../api/nodes/temporal/retry';
import type { WorkflowsUntil } from '../../../api/nodes/temporal/connection';
import type * as Reads from '../../../api/nodes/temporal/reads';
import type * as Groups from '../../../api/nodes/temporal/send-group';
import type { Caller, PointAlarms } from '../../../api/ports';
import type { Log } from '../../../process/log';
import type * as Append from '../../../stream/append';
import type * as Intents from '../../../stream/publish-intents';
import type { Place } from '../code/graphs';
import type { Host, Sized } from '../engine/host';
import type { RedisLink } from '../models/redis';

export interface ApiPlan {
  readonly relays: boolean;
  readonly caches: boolean;
  readonly waitingCalls: number;
  /** Capacity of its caches of nodes, which take their memory when they are made. */
  readonly knownNodes: number;
  readonly events: Append.StreamSettings;
}

/** An API process from its start to its end. */
export interface SimulatedApi {
  readonly host: Host;
  readonly nodes: PointAlarms;
  /** The most that one of its maps and sets has grown by since it started. */
  readonly growth: () => number;
  /** Calls that wait in its node queues. */
  readonly waiting: () => number;
}

export const DEADLINE_MS = 10_000;

/** Composes an API of the real code at `place`, as `api/nodes/nodes.ts` does. */
export const startApi = (
  { slot, code, counting }: Place,
  host: Host,
  { relays, caches, waitingCalls, knownNodes, events }: ApiPlan,
  workflowsUntil: WorkflowsUntil,
  connect: () => RedisLink,
  note: (what: string) => void,
): SimulatedApi => {
  slot.host = host;
  const collections: Sized[] = [];
  counting(collections);
  const nothing = (): void => undefined;
  const noted = (_: unknown, what: string): void => note(what);
  const log = { debug: nothing, info: noted, warn: noted, error: noted } as unknown as Log;
  const link = connect();
  const states: Array<() => QueuesState> = [];
  const sides = {
    workflowsUntil,
    taskQueue: 'simulated',
    searchAttributes: false,
    callDeadlineMs: DEADLINE_MS,
    waitingCalls,
    knownNodes,
    log,
    registry: new Registry(),
    canPublish: () => link.client.isReady,
    admission: () => ({ watch: (state: () => QueuesState) => states.push(state), refused: nothing }),
  };
  const { createReads, views } = code.load<typeof Reads>('api/nodes/temporal/reads.ts');
  const read = createReads(sides);
  const { createPointAlarms, sendWithoutRelay } = code.load<typeof Nodes>('api/nodes/nodes.ts');
  const sendGroup = relays ? relayed() : sendWithoutRelay(sides);
  const cache = caches ? cached() : undefined;
  const nodes = createPointAlarms(sides, cache === undefined ? sendGroup : cache.reporting(sendGroup), read);
  counting(undefined);
  const sizes = collections.map(({ size }) => size);
  return {
    host,
    nodes: cache === undefined ? nodes : cache.reading(nodes),
    growth: () => Math.max(0, ...collections.map(({ size }, index) => size - (sizes[index] ?? 0))),
    waiting: () => states.reduce((sum, state) => sum + state().waiting, 0),
  };

  function relayed() {
    const { createRelay } = code.load<typeof Relay>('api/nodes/relay.ts');
    const intents = code.load<typeof Intents>('stream/publish-intents.ts').createPublishIntents(link, events.stream);
    const publishNow = code.load<typeof Calls>('api/nodes/temporal/retry.ts').createPublishNow(workflowsUntil);
    const publisher = code.load<typeof Append>('stream/append.ts').createPublisher(link, events);
    const send = code.load<typeof Groups>('api/nodes/temporal/send-group.ts').createSendGroup(sides);
    return createRelay({ send, publishNow, publisher, intents, knownNodes, log }).sendGroup;
  }

  function cached() {
    const { startReadCache } = code.load<typeof ReadCache>('api/nodes/read-cache.ts');
    const ask = (nodeId: string, by?: Caller) => read(views.snapshot, nodeId, by);
    return startReadCache(ask, 100, { redis: connect(), ...events, log });
  }
};
