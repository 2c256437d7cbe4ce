import type { createPointAlarms as CreatePointAlarms, plainly as Plainly } from '../../../api/nodes/nodes';
import type { QueuesState } from '../../../api/admission/queues';
import type { createReads as CreateReads, views as Views } from '../../../api/nodes/temporal/reads';
import type { createPublishNow as CreatePublishNow } from '../../../api/nodes/temporal/calls';
import type { createSendGroup as CreateSendGroup } from '../../../api/nodes/temporal/send-group';
import type { createRelay as CreateRelay, startSweep as StartSweep } from '../../../api/nodes/relay';
import type { startReadCache as StartReadCache } from '../../../api/nodes/read-cache';
import type { PointAlarms } from '../../../api/ports';
import type { Log } from '../../../process/log';
import type { StreamSettings, createPublisher as CreatePublisher } from '../../../stream/append';
import type { createPublishIntents as CreateIntents } from '../../../stream/publish-intents';
import type { Place } from '../code/graphs';
import type { Host, Sized } from '../engine/host';
import type { RedisLink } from '../models/redis';
import type { WorkflowsUntil } from '../../../api/nodes/temporal/connection';

export interface ApiPlan {
  readonly relays: boolean;
  readonly caches: boolean;
  readonly waitingCalls: number;
  /** Capacity of its caches of nodes, which take their memory when they are made. */
  readonly knownNodes: number;
  readonly events: StreamSettings;
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
  const noted = (_: unknown, what: string): void => {
    note(what);
  };
  const log = { debug: nothing, info: noted, warn: noted, error: noted } as unknown as Log;
  const link = connect();
  const states: Array<() => QueuesState> = [];
  const sides = {
    workflowsUntil,
    taskQueue: 'simulated',
    searchAttributes: false,
    overallRegions: 'literal' as const,
    callDeadlineMs: DEADLINE_MS,
    waitingCalls,
    knownNodes,
    log,
    canPublish: () => link.client.isReady,
    admission: () => ({ watch: (state: () => QueuesState) => states.push(state), refused: nothing }),
  };
  const { createReads } = code.load<{ createReads: typeof CreateReads }>('api/nodes/temporal/reads.ts');
  const read = createReads(sides);
  const temporal = code.load<{ createPointAlarms: typeof CreatePointAlarms; plainly: typeof Plainly }>(
    'api/nodes/nodes.ts',
  );
  const sendGroup = relays ? relayed() : temporal.plainly(sides);
  const cache = caches ? cached() : undefined;
  const nodes = temporal.createPointAlarms(sides, cache === undefined ? sendGroup : cache.reporting(sendGroup), read);
  counting(undefined);
  const sizes = collections.map(({ size }) => size);
  return {
    host,
    nodes: cache === undefined ? nodes : cache.reading(nodes),
    growth: () => Math.max(0, ...collections.map(({ size }, index) => size - (sizes[index] ?? 0))),
    waiting: () => states.reduce((sum, state) => sum + state().waiting, 0),
  };

  function relayed() {
    const { createPublishIntents } = code.load<{ createPublishIntents: typeof CreateIntents }>(
      'stream/publish-intents.ts',
    );
    const { createPublisher } = code.load<{ createPublisher: typeof CreatePublisher }>('stream/append.ts');
    const { createPublishNow } = code.load<{ createPublishNow: typeof CreatePublishNow }>(
      'api/nodes/temporal/calls.ts',
    );
    const { createSendGroup } = code.load<{ createSendGroup: typeof CreateSendGroup }>(
      'api/nodes/temporal/send-group.ts',
    );
    const { createRelay } = code.load<{ createRelay: typeof CreateRelay }>('api/nodes/relay.ts');
    const { startSweep } = code.load<{ startSweep: typeof StartSweep }>('api/nodes/relay.ts');
    const intents = createPublishIntents(link, events.stream);
    const publishNow = createPublishNow(workflowsUntil);
    const publisher = createPublisher(link, events);
    const relay = createRelay({ send: createSendGroup(sides), publishNow, publisher, intents, knownNodes, log });
    startSweep({ intents, publishNow, log });
    return relay.sendGroup;
  }

  function cached() {
    const { views } = code.load<{ views: typeof Views }>('api/nodes/temporal/reads.ts');
    const { startReadCache } = code.load<{ startReadCache: typeof StartReadCache }>('api/nodes/read-cache.ts');
    return startReadCache({
      redis: connect(),
      ...events,
      ask: (nodeId) => read(views.snapshot, nodeId),
      nodes: 100,
      callDeadlineMs: DEADLINE_MS,
      log,
    });
  }
};
