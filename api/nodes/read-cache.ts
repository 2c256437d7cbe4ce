import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import type { RevisedThreshold, Snapshot } from '../../workflows/domain/node/state';
import { eventOf, type StreamEvent } from '../../workflows/domain/node/events';
import type { Behalf, Outage, PointAlarms, Read } from '../ports';
import type { AlarmStatusView } from '../../workflows/domain/alarm/alarm-status';
import type { SendGroup } from './node-queue';
import { followEvents } from '../../stream/follow';

/** The answers of a node's GETs, and the event that each includes. */
export interface CachedNode {
  readonly threshold: RevisedThreshold;
  readonly thresholdAsOf: string;
  readonly alarmStatus: AlarmStatusView;
  readonly alarmStatusAsOf: string;
}

export const cachedNodeOf = ({ threshold, alarmStatus, sequenceId }: Snapshot): CachedNode => ({
  threshold,
  thresholdAsOf: sequenceId,
  alarmStatus,
  alarmStatusAsOf: sequenceId,
});

/**
 * `cached` after `event`; undefined where that does not follow from the cached state, so that the node has to be read. Every event
 * holds its whole subject, so a status may be applied before an earlier threshold.
 */
export const takeEvent = (cached: CachedNode, event: StreamEvent): CachedNode | undefined => {
  if (event.type === 'PointAlarmStatusEvent') {
    if (event.sequenceId <= cached.alarmStatusAsOf) return cached;
    const { type: _type, aggregateId: nodeId, sequenceId, updatedAt, alarmStatus: status, ...more } = event;
    const { userId: _user, requestId: _request, alarmsChanged: _changed, ...parts } = more;
    return { ...cached, alarmStatus: { nodeId, updatedAt, status, ...parts }, alarmStatusAsOf: sequenceId };
  }
  const { sequenceId, updatedAt, revision, threshold } = event;
  const touched =
    sequenceId <= cached.alarmStatusAsOf
      ? cached
      : { ...cached, alarmStatus: { ...cached.alarmStatus, updatedAt }, alarmStatusAsOf: sequenceId };
  if (sequenceId <= cached.thresholdAsOf) return touched;
  // Any revision but the next one shows that the node was terminated and started anew: nothing cached of it is valid.
  if (revision !== cached.threshold.revision + 1) return undefined;
  return { ...touched, threshold: { revision, threshold }, thresholdAsOf: sequenceId };
};

/** Reads the node on behalf of a caller: those who wait at once share reads. */
type AskNode = (nodeId: string, by?: Behalf) => Promise<E.Either<Outage, Snapshot>>;

/** Loads of a node in flight: the events that came since the first one began. Those that were evicted are not cached. */
interface Load {
  readonly events: StreamEvent[];
  /** The revision of the threshold when this process acknowledged something meanwhile. */
  revision?: number;
  callers: number;
}

/** A node in the cache, which events change in place: only reads count as its use. */
interface Entry {
  node: CachedNode;
}

/** Longest time (ms) that an entry is cached: a terminated node publishes no event. */
const CACHED_MS = 300_000;

const isStatus = ({ type }: StreamEvent): boolean => type === 'PointAlarmStatusEvent';
const eventsIn = E.traverseArray(({ type, data }: OutboxEvent) => eventOf(type, data));

const afterAll = (node: CachedNode, events: ReadonlyArray<StreamEvent>): CachedNode | undefined =>
  events.reduce<CachedNode | undefined>((before, event) => before && takeEvent(before, event), node);

export type ReadCache = ReturnType<typeof createReadCache>;

/** The nodes that this process has read, at most so many; the least recently read are evicted first. */
export const createReadCache = (ask: AskNode, capacity: number) => {
  const entries = new LRUCache<string, Entry>({ max: capacity, ttl: CACHED_MS });
  const loads = new Map<string, Load>();

  const load = async (nodeId: string, by?: Behalf): Promise<E.Either<Outage, CachedNode>> => {
    const current = loads.get(nodeId) ?? { events: [], callers: 0 };
    loads.set(nodeId, current);
    current.callers += 1;
    const answer = await ask(nodeId, by);
    current.callers -= 1;
    const isEvicted = loads.get(nodeId) !== current;
    if (!isEvicted && current.callers === 0) loads.delete(nodeId);
    if (E.isLeft(answer)) return answer;
    const node = afterAll(cachedNodeOf(answer.right), current.events);
    // The node was started anew meanwhile, or lacks an event that is still on its way: its current state.
    if (node === undefined || node.threshold.revision !== (current.revision ?? node.threshold.revision))
      return E.map(cachedNodeOf)(await ask(nodeId, by));
    if (!isEvicted) entries.set(nodeId, { node });
    return E.right(node);
  };
  const evict = (nodeId: string): void => {
    loads.delete(nodeId); // a read from now on loads anew
    entries.delete(nodeId);
  };
  const take = (nodeId: string, event: StreamEvent): void => {
    loads.get(nodeId)?.events.push(event);
    const entry = entries.peek(nodeId);
    if (entry === undefined) return;
    const after = takeEvent(entry.node, event);
    if (after === undefined) entries.delete(nodeId);
    else entry.node = after;
  };

  return {
    cached: (nodeId: string): CachedNode | undefined => entries.get(nodeId)?.node,
    /** Reads the node, and caches the answer with the events that came meanwhile. */
    load,
    take,
    /** Applies the events that this process is about to acknowledge: later reads return nothing older. */
    committed: (nodeId: string, { outcomes, unconfirmed, isRepeat }: GroupReceipt): void => {
      if (outcomes.every(({ _tag }) => _tag === 'Refused')) return;
      // Events of what was done before may be confirmed by another process, and on their way here.
      const isNew = isRepeat !== true && outcomes.every(({ _tag }) => _tag !== 'Unchanged');
      const events = eventsIn(isNew ? (unconfirmed ?? []) : []); // left where one cannot be read, as of a later release
      const revision = outcomes.findLast((one) => one._tag === 'Applied')?.revision;
      // The last status is whole, and the revision tells of each threshold: what else was confirmed may be on its way here.
      if (revision === undefined || E.isLeft(events) || !events.right.some(isStatus)) {
        evict(nodeId);
        return;
      }
      for (const event of events.right) take(nodeId, event);
      const current = loads.get(nodeId);
      if (current !== undefined) current.revision = revision;
      if (entries.peek(nodeId)?.node.threshold.revision !== revision) entries.delete(nodeId);
    },
    evict,
    evictAll: (): void => {
      loads.clear();
      entries.clear();
    },
  };
};

/** Longest delay (ms) of a cached value; beyond it the node is read. */
const MOST_BEHIND_MS = 1_000;

/** `nodes` with reads from the cache while it is current (`currentAsOf`: ms of `performance.now()`), else from the node. */
export const cachedReads = (nodes: PointAlarms, cache: ReadCache, currentAsOf: () => number): PointAlarms => {
  const read =
    <A>(viewOf: (node: CachedNode) => A, ofNode: Read<A>): Read<A> =>
    (nodeId, { isFresh = false, by } = {}) =>
    async () => {
      const behind = performance.now() - currentAsOf();
      if (isFresh || behind > MOST_BEHIND_MS) return ofNode(nodeId, { by })();
      const cached = cache.cached(nodeId);
      if (cached !== undefined) return E.right({ value: viewOf(cached), age: behind / 1_000 });
      return E.map((node: CachedNode) => ({ value: viewOf(node) }))(await cache.load(nodeId, by));
    };
  return {
    ...nodes,
    threshold: read(({ threshold }) => threshold, nodes.threshold),
    alarmStatus: read(({ alarmStatus }) => alarmStatus, nodes.alarmStatus),
  };
};

type EventSource = Omit<Parameters<typeof followEvents>[0], 'take' | 'missed'>;

/** Follows the stream from now on, and answers reads from its events (docs/contributing/how-it-works.md, "Read cache"). */
export const startReadCache = (ask: AskNode, capacity: number, source: EventSource) => {
  const cache = createReadCache(ask, capacity);
  const following = followEvents({ ...source, take: cache.take, missed: cache.evictAll });
  return {
    /** `send`, which reports to the cache what it acknowledges. */
    reporting:
      (send: SendGroup): SendGroup =>
      async (nodeId, commands, until, slot) => {
        const sent = await send(nodeId, commands, until, slot);
        if (E.isRight(sent.answer)) cache.committed(nodeId, sent.answer.right);
        else cache.evict(nodeId);
        return sent;
      },
    /** `nodes` with cached reads. */
    reading: (port: PointAlarms) => cachedReads(port, cache, following.currentAsOf),
    close: following.close,
  };
};
