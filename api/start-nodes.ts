import type { Registry } from 'prom-client';
import type { ApiSettings } from '../process/settings';
import { connectRedis, type RedisLink } from '../process/redis';
import type { Log } from '../process/log';
import { askNode, views } from './adapters/temporal/ask-node';
import type { TemporalLink } from './adapters/temporal/connect';
import { createPointAlarms, plainly } from './adapters/temporal/point-alarms';
import { watchLanes } from './adapters/temporal/watch-lanes';
import type { OwnBearings } from './bearings/own-bearings';
import { withOwnBearings } from './bearings/with-own-bearings';
import { countCommands } from './count-commands';
import { startMemory, type RunningMemory } from './memory';
import type { PointAlarms } from './ports';
import { startPush } from './push';

export interface NodesParts {
  readonly settings: ApiSettings;
  readonly temporal: TemporalLink;
  readonly redis: RedisLink;
  readonly bearings: OwnBearings | undefined;
  readonly registry: Registry;
  readonly log: Log;
}

/** The nodes as the routes see them, with whatever is set: push, memory, bearings of the operator. */
export interface RunningNodes {
  readonly pointAlarms: PointAlarms;
  /** Lets what is on its way to the stream arrive. */
  readonly close: () => Promise<void>;
}

/** Joins what stands between the routes and Temporal. */
export const startNodes = ({ settings, temporal, redis, bearings, registry, log }: NodesParts): RunningNodes => {
  const sides = {
    ...settings,
    ...settings.temporal,
    ...settings.limits,
    ...temporal,
    log,
    watch: watchLanes(registry),
  };
  const push = settings.pushEvents ? startPush({ ...sides, redis: redis.client, registry }) : undefined;
  const memory =
    settings.memoryNodes === undefined ? undefined : remember(settings, settings.memoryNodes, temporal, log);
  const sendGroup = push?.sendGroup ?? plainly(sides);
  const nodes = createPointAlarms(sides, memory === undefined ? sendGroup : memory.telling(sendGroup));
  const known = bearings === undefined ? nodes : withOwnBearings(nodes, bearings.current);
  return {
    pointAlarms: countCommands(memory === undefined ? known : memory.reading(known), registry),
    close: async () => {
      await Promise.all([push?.close(), memory?.close()]);
    },
  };
};

/** The memory follows the stream by a connection of its own: a read that waits blocks it. */
const remember = (settings: ApiSettings, nodes: number, { workflowsUntil }: TemporalLink, log: Log): RunningMemory => {
  const link = connectRedis({ ...settings.redis, log, name: 'api-memory' });
  const { callDeadlineMs } = settings;
  const memory = startMemory({
    redis: link.client,
    stream: settings.events.stream,
    ask: (nodeId) => askNode({ workflowsUntil, log }, views.snapshot, nodeId, Date.now() + callDeadlineMs),
    nodes,
    callDeadlineMs,
    log,
  });
  return {
    ...memory,
    close: async () => {
      await Promise.all([memory.close(), link.close()]);
    },
  };
};
