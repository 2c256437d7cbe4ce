import type { Registry } from 'prom-client';
import type { ApiSettings } from '../../process/settings';
import { connectStream, type StreamLinks } from '../../stream/connection';
import type { Log } from '../../process/log';
import { createAdmissionMetrics } from '../admission/queue-metrics';
import { views } from './temporal/ask-node';
import type { TemporalLink } from './temporal/connect';
import { createReads, type ReadNode } from './temporal/reads';
import { createPointAlarms, plainly } from './temporal/point-alarms';
import { createNodeQueueMetrics } from './node-queue-metrics';
import type { OwnBearings } from './bearings/own-bearings';
import { withOwnBearings } from './bearings/with-own-bearings';
import { countCommands } from './count-commands';
import { startReadCache, type RunningReadCache } from './read-cache';
import type { PointAlarms } from '../ports';
import { startRelay } from './relay';

export interface NodesParts {
  readonly settings: ApiSettings;
  readonly temporal: TemporalLink;
  readonly redis: StreamLinks;
  readonly bearings: OwnBearings | undefined;
  readonly registry: Registry;
  readonly log: Log;
}

/** The nodes as the routes see them, with what the settings ask for: relay, read cache, bearings of the operator. */
export interface RunningNodes {
  readonly pointAlarms: PointAlarms;
  /** Waits for the publications in flight. */
  readonly close: () => Promise<void>;
}

/** Composes the layers between the routes and Temporal. */
export const startNodes = ({ settings, temporal, redis, bearings, registry, log }: NodesParts): RunningNodes => {
  const sides = {
    ...settings,
    ...settings.temporal,
    ...settings.limits,
    ...temporal,
    log,
    canPublish: () => redis.links.every(({ client }) => client.isReady),
    metrics: createNodeQueueMetrics(registry),
    admission: createAdmissionMetrics(registry),
  };
  const read = createReads(sides);
  const relay = settings.relaysEvents ? startRelay({ ...sides, redis, registry }) : undefined;
  const cache = settings.cachedNodes === undefined ? undefined : startCache(settings, settings.cachedNodes, read, log);
  const sendGroup = relay?.sendGroup ?? plainly(sides);
  const nodes = createPointAlarms(sides, cache === undefined ? sendGroup : cache.reporting(sendGroup), read);
  const all = bearings === undefined ? nodes : withOwnBearings(nodes, bearings.current, settings.callDeadlineMs);
  return {
    pointAlarms: countCommands(cache === undefined ? all : cache.reading(all), registry),
    close: async () => {
      await Promise.all([relay?.close(), cache?.close()]);
    },
  };
};

/** The read cache follows the stream by connections of its own: a read that waits blocks it. */
const startCache = (settings: ApiSettings, nodes: number, read: ReadNode, log: Log): RunningReadCache => {
  const redis = connectStream({ ...settings.redis, ...settings.events, log, name: 'api-read-cache' });
  const { callDeadlineMs } = settings;
  const cache = startReadCache({
    links: redis.links,
    ...settings.events,
    ask: (nodeId) => read(views.snapshot, nodeId),
    nodes,
    callDeadlineMs,
    log,
  });
  return {
    ...cache,
    close: async () => {
      await Promise.all([cache.close(), redis.close()]);
    },
  };
};
