import { isDeepStrictEqual } from 'node:util';
import { checkHistory, type Promised } from '../../chaos/check-history';
import type { Entry, Final, JsonObject } from '../../chaos/history';
import { readEvent, type StreamEvent } from '../../chaos/stream-event';
import type { MadeWrite, Read } from './callers';
import type { Breach } from './truth';
import { STREAM, type World } from './world';

/** What may go wrong with a node's events where Redis loses what it confirmed (docs/guarantees.md, "What Redis may lose"). */
const WITHOUT_DATA: ReadonlySet<Promised> = new Set(['lost', 'torn', 'chain', 'alarmsChanged', 'last']);

/** Every promise that the history of `world` breaks: those of the chaos tests, and those of reads. */
export const judge = (world: World, finals: ReadonlyArray<Final>): ReadonlyArray<Breach> => {
  const { truth, redis, callers } = world;
  const entries: ReadonlyArray<Entry> =
    redis
      .state()
      .streams.get(STREAM)
      ?.entries.map(({ message }) => message) ?? [];
  const { breaches } = checkHistory({ writes: callers.writes, entries, finals });
  const lost = [...redis.lost];
  const hasLost = lost.length > 0;
  const isLossAllowed = world.plan.replicasRequired === 0;
  return [
    ...(hasLost && !isLossAllowed ? [{ promise: 'replicated', nodeId: '', found: lost.join() }] : []),
    ...truth.breaches,
    ...breaches.filter(({ promise }) => !(hasLost && WITHOUT_DATA.has(promise))),
    ...world.nodes.flatMap((nodeId) => missing(world, nodeId)),
    ...readBreaches(world),
  ];
};

/** Events that were committed and are in no stream, but for those that Redis took and lost. */
const missing = ({ truth, redis }: World, nodeId: string): ReadonlyArray<Breach> =>
  truth
    .committed(nodeId)
    .filter(({ sequenceId }) => truth.appendedAt(nodeId, sequenceId) === undefined)
    .filter(({ sequenceId }) => !redis.lost.has(`${nodeId} ${sequenceId}`))
    .map(({ sequenceId }) => ({ promise: 'out', nodeId, found: `${sequenceId} was committed and never published` }));

/** What a node's GETs answer after each of its events. */
interface Shown {
  readonly event: StreamEvent;
  readonly alarmStatus: JsonObject;
  readonly threshold: JsonObject | undefined;
}

const readBreaches = (world: World): ReadonlyArray<Breach> => {
  if (world.callers.reads.length === 0) return [];
  return world.nodes.flatMap((nodeId) => {
    const shown = shownOf(world, nodeId);
    const writes = world.callers.writes.filter((write) => write.nodeId === nodeId);
    return world.callers.reads
      .filter((read) => read.nodeId === nodeId)
      .flatMap((read) => staleness(world, shown, writes, read));
  });
};

const shownOf = ({ truth }: World, nodeId: string): ReadonlyArray<Shown> => {
  let alarmStatus: JsonObject = { nodeId, updatedAt: 0, status: 0 };
  let threshold: JsonObject | undefined;
  return truth.committed(nodeId).flatMap((committed): ReadonlyArray<Shown> => {
    const event = readEvent({
      aggregateId: nodeId,
      sequenceId: committed.sequenceId,
      type: committed.type,
      userId: committed.userId,
      data: JSON.stringify(committed.data),
      timestamp: String(committed.timestamp),
      'Vendor.Hierarchy.EventType': committed.type,
      'Vendor.Hierarchy.Aggregate': nodeId,
    });
    if (typeof event === 'string') return [];
    if (event.type === 'SetPointAlarmThresholdEvent') {
      threshold = event.threshold;
      alarmStatus = { ...alarmStatus, updatedAt: event.updatedAt };
    } else alarmStatus = { nodeId, updatedAt: event.updatedAt, status: event.alarmStatus, ...event.parts };
    return [{ event, alarmStatus, threshold }];
  });
};

/** A read shows a state that the node had, and none older than was promised. */
const staleness = (
  { truth, redis }: World,
  shown: ReadonlyArray<Shown>,
  writes: ReadonlyArray<MadeWrite>,
  read: Read,
): ReadonlyArray<Breach> => {
  const { nodeId, of, value, at, api, age } = read;
  const breach = (promise: string, found: string): ReadonlyArray<Breach> => [
    {
      promise,
      nodeId,
      found: `${found}: ${of} read at ${Math.round(at)} by ${api.host.name}: ${JSON.stringify(value)}`,
    },
  ];
  const index = shown.findLastIndex((one) => isDeepStrictEqual(one[of], value));
  if (index < 0) return isUntouched(read) ? [] : breach('phantom', 'the node was never so');
  const isOwnOnly = read.isCached && !read.isFresh;
  const acknowledged = writes.filter(
    (write) => write.answeredAt < at && write.by !== undefined && (!isOwnOnly || write.by === api),
  );
  const needed = shown.findLastIndex(({ event }) => acknowledged.some(({ id }) => id === event.userId));
  if (index < needed) return breach('stale', `${shown[needed]?.event.userId ?? ''} was acknowledged before`);
  if (age === undefined) return [];
  const inStream = shown.findLastIndex(
    ({ event }) =>
      (truth.appendedAt(nodeId, event.sequenceId) ?? Infinity) < at - age * 1_000 - 2 &&
      !redis.lost.has(`${nodeId} ${event.sequenceId}`),
  );
  return index < inStream ? breach('age', `an event is older than ${age} s`) : [];
};

const isUntouched = ({ of, value }: Read): boolean => of === 'threshold' || value['updatedAt'] === 0;
