import type { Registry } from 'prom-client';
import * as E from 'fp-ts/Either';
import type { ApiSettings } from '../../process/settings';
import { eventsOf } from '../../stream/append';
import { connectRedis } from '../../stream/connection';
import type { RedisConnection } from '../../stream/redis-connection';
import type { WatchedFile } from '../../process/files/watched-file';
import type { BearingIndex } from '../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import type { Log } from '../../process/log';
import { counter } from '../../process/metrics';
import { createAdmissionMetrics } from '../admission/queue-metrics';
import { createReads, type ReadNode, type View, views } from './temporal/reads';
import type { TemporalConnection } from './temporal/connection';
import { createNodeQueues, type NodeQueueSettings, type SendGroup } from './node-queue';
import { withOwnBearings } from './bearings';
import { startReadCache } from './read-cache';
import type { Caller, PointAlarms, Read } from '../ports';
import { startRelay } from './relay';
import { createPublishNow } from './temporal/retry';
import { createSendGroup, type GroupSender } from './temporal/send-group';

/** Creates the port by which routes call nodes. `close` waits for the events that are being appended to the stream. */
export const startNodes = (
  settings: ApiSettings,
  temporal: TemporalConnection,
  redis: RedisConnection,
  bearings: WatchedFile<BearingIndex> | undefined,
  registry: Registry,
  log: Log,
): { readonly pointAlarms: PointAlarms; readonly close: () => Promise<unknown> } => {
  const sides = {
    ...settings.temporal,
    callDeadlineMs: settings.CALL_DEADLINE_MS,
    waitingCalls: settings.MAX_WAITING_CALLS,
    ...temporal,
    log,
    canPublish: () => redis.client.isReady,
    registry,
    admission: createAdmissionMetrics(registry),
  };
  const read = createReads(sides);
  const relay = settings.EVENT_RELAY === 'api' ? startRelay(sides, redis, eventsOf(settings), registry) : undefined;
  const cache = settings.READS === 'cache' ? startCache(settings, read, log) : undefined;
  const sendGroup = relay?.sendGroup ?? sendWithoutRelay(sides);
  const nodes = createPointAlarms(sides, cache === undefined ? sendGroup : cache.reporting(sendGroup), read);
  const all = bearings === undefined ? nodes : withOwnBearings(nodes, bearings.current);
  return {
    pointAlarms: withCommandMetrics(cache === undefined ? all : cache.reading(all), registry, log),
    close: () => Promise.all([relay?.close(), cache?.close()]),
  };
};

/** The read cache has its own Redis connection, because a blocking read delays all other commands on its connection. */
const startCache = (settings: ApiSettings, read: ReadNode, log: Log) => {
  const redis = connectRedis({ ...settings.redis, log, name: 'api-read-cache' }, settings.EVENT_STREAM);
  const ask = (nodeId: string, by?: Caller) => read(views.snapshot, nodeId, by);
  const cache = startReadCache(ask, settings.CACHED_NODES, { redis, ...eventsOf(settings), log });
  return { ...cache, close: () => Promise.all([cache.close(), redis.close()]) };
};

export type TemporalNodes = GroupSender & NodeQueueSettings;

/** The nodes as Temporal workflows: a command is an update, which starts the workflow if needed, and a read is a query. */
export const createPointAlarms = (
  nodes: TemporalNodes,
  sendGroup: SendGroup = sendWithoutRelay(nodes),
  read: ReadNode = createReads(nodes),
): PointAlarms => {
  const queues = createNodeQueues(nodes, sendGroup);
  return {
    send: (nodeId, command, by) => () => queues.submit(nodeId, command, by),
    refusal: queues.refusal,
    tooMany: queues.tooMany,
    threshold: readerOf(read, views.threshold),
    alarmStatus: readerOf(read, views.alarmStatus),
  };
};

/**
 * Sends groups without a relay, so that nodes publish their events themselves. If an earlier relay has left a node's outbox
 * full, this function asks the node to publish now.
 */
export const sendWithoutRelay = (nodes: GroupSender): SendGroup => {
  const send = createSendGroup(nodes);
  const publishNow = createPublishNow(nodes.workflowsUntil);
  return async (nodeId, commands, until, slot) => {
    const sent = await send(nodeId, { commands }, until, slot);
    const isFull = E.isRight(sent.answer) && sent.answer.right.postponed?._tag === 'OutboxFull';
    return isFull ? { ...sent, completed: publishNow(nodeId).then(() => undefined) } : sent;
  };
};

const readerOf =
  <A>(read: ReadNode, view: View<A>): Read<A> =>
  (nodeId, how = {}) =>
  async () =>
    E.map((value: A) => ({ value }))(await read(view, nodeId, how.by));

/** Counts the commands to `nodes` by name and outcome, never by node. Logs a command that met a defect, with its node. */
export const withCommandMetrics = (nodes: PointAlarms, registry: Registry, log: Log): PointAlarms => {
  const count = counter(registry, 'point_alarm_commands_total');
  return {
    ...nodes,
    send: (nodeId, command, by) => async () => {
      const sent = await nodes.send(nodeId, command, by)();
      count(1, { command: command.name, outcome: E.isLeft(sent) ? sent.left._tag : sent.right._tag });
      if (E.isLeft(sent) && sent.left._tag === 'Defect')
        log.error(
          { nodeId, command: command.name, reason: sent.left.reason },
          'a command met a defect: it was refused',
        );
      return sent;
    },
  };
};
