import type {
  createPointAlarms as CreatePointAlarms,
  plainly as Plainly,
} from '../../../api/nodes/temporal/point-alarms';
import type { QueuesState } from '../../../api/admission/queues';
import type { createReads as CreateReads } from '../../../api/nodes/temporal/reads';
import type { views as Views } from '../../../api/nodes/temporal/ask-node';
import type { createPublishNow as CreatePublishNow } from '../../../api/nodes/temporal/publish-now';
import type { createSendGroup as CreateSendGroup } from '../../../api/nodes/temporal/send-group';
import type { createRelay as CreateRelay } from '../../../api/nodes/relay/relay';
import type { startSweep as StartSweep } from '../../../api/nodes/relay/sweep';
import type { startReadCache as StartReadCache } from '../../../api/nodes/read-cache';
import type { PointAlarms } from '../../../api/ports';
import type { Log } from '../../../process/log';
import type { EventSettings } from '../../../process/settings';
import type { StreamLinks } from '../../../stream/connection';
import type { createPublisher as CreatePublisher } from '../../../stream/partitioned-publisher';
import type { createPartitionedIntents as CreateIntents } from '../../../stream/publish-intents';
import type { Place } from '../code/graphs';
import type { Host, Sized } from '../engine/host';
import type { RedisLink } from '../models/redis';
import type { WorkflowsUntil } from '../../../api/nodes/temporal/workflows-until';

export interface ApiPlan {
  readonly relays: boolean;
  readonly caches: boolean;
  readonly waitingCalls: number;
  readonly events: EventSettings;
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

/** Composes an API of the real code at `place`, as `api/nodes/start-nodes.ts` does. */
export const startApi = (
  { slot, code, counting }: Place,
  host: Host,
  { relays, caches, waitingCalls, events }: ApiPlan,
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
  const redis = { links: [link], root: link } as unknown as StreamLinks;
  const states: Array<() => QueuesState> = [];
  const sides = {
    workflowsUntil,
    taskQueue: 'simulated',
    searchAttributes: false,
    overallRegions: 'literal' as const,
    callDeadlineMs: DEADLINE_MS,
    waitingCalls,
    log,
    canPublish: () => link.client.isReady,
    admission: () => ({ watch: (state: () => QueuesState) => states.push(state), refused: nothing }),
  };
  const { createReads } = code.load<{ createReads: typeof CreateReads }>('api/nodes/temporal/reads.ts');
  const read = createReads(sides);
  const temporal = code.load<{ createPointAlarms: typeof CreatePointAlarms; plainly: typeof Plainly }>(
    'api/nodes/temporal/point-alarms.ts',
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
    const { createPartitionedIntents } = code.load<{ createPartitionedIntents: typeof CreateIntents }>(
      'stream/publish-intents.ts',
    );
    const { createPublisher } = code.load<{ createPublisher: typeof CreatePublisher }>(
      'stream/partitioned-publisher.ts',
    );
    const { createPublishNow } = code.load<{ createPublishNow: typeof CreatePublishNow }>(
      'api/nodes/temporal/publish-now.ts',
    );
    const { createSendGroup } = code.load<{ createSendGroup: typeof CreateSendGroup }>(
      'api/nodes/temporal/send-group.ts',
    );
    const { createRelay } = code.load<{ createRelay: typeof CreateRelay }>('api/nodes/relay/relay.ts');
    const { startSweep } = code.load<{ startSweep: typeof StartSweep }>('api/nodes/relay/sweep.ts');
    const intents = createPartitionedIntents([link], events);
    const publishNow = createPublishNow(workflowsUntil);
    const publisher = createPublisher(redis, events);
    const relay = createRelay({ send: createSendGroup(sides), publishNow, publisher, intents, log });
    startSweep({ intents, publishNow, log });
    return relay.sendGroup;
  }

  function cached() {
    const { views } = code.load<{ views: typeof Views }>('api/nodes/temporal/ask-node.ts');
    const { startReadCache } = code.load<{ startReadCache: typeof StartReadCache }>('api/nodes/read-cache/index.ts');
    return startReadCache({
      links: [connect()],
      ...events,
      ask: (nodeId) => read(views.snapshot, nodeId),
      nodes: 100,
      callDeadlineMs: DEADLINE_MS,
      log,
    });
  }
};
