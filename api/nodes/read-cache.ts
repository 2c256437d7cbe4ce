import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import type { RevisedThreshold, Snapshot } from '../../workflows/domain/node/state';
import { eventOf, type StreamEvent } from '../../workflows/domain/node/events';
import { beforeDeadline, type ReadResult, type Outage, type PointAlarms, type ReadHow } from '../ports';
import type { AlarmStatusView } from '../../workflows/domain/alarm/alarm-status';
import type { Log } from '../../process/log';
import type { SendGroup } from './node-queue';
import { followEvents, type StreamReader } from '../../stream/follow';

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
 * `cached` after `event`, which is ignored where it is not newer; undefined where `event` does not follow from the cached
 * state, so that the node has to be read. Every event holds its whole subject, so a status may be applied before an earlier
 * threshold.
 */
export const takeEvent = (cached: CachedNode, event: StreamEvent): CachedNode | undefined =>
  event.type === 'PointAlarmStatusEvent' ? takeStatus(cached, event) : takeThreshold(cached, event);

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

const takeStatus = (cached: CachedNode, event: Of<'PointAlarmStatusEvent'>): CachedNode => {
  if (event.sequenceId <= cached.alarmStatusAsOf) return cached;
  const {
    type: _type,
    aggregateId: nodeId,
    userId: _user,
    sequenceId,
    requestId: _request,
    updatedAt,
    alarmStatus: status,
    alarmsChanged: _changed,
    ...parts
  } = event;
  return { ...cached, alarmStatus: { nodeId, updatedAt, status, ...parts }, alarmStatusAsOf: sequenceId };
};

/**
 * The revision is the event's own. Any but the next one shows that the node was terminated and started anew: then
 * nothing cached of it is valid, its parts neither.
 */
const takeThreshold = (cached: CachedNode, event: Of<'SetPointAlarmThresholdEvent'>): CachedNode | undefined => {
  const { sequenceId, updatedAt, revision, threshold } = event;
  const touched =
    sequenceId <= cached.alarmStatusAsOf
      ? cached
      : { ...cached, alarmStatus: { ...cached.alarmStatus, updatedAt }, alarmStatusAsOf: sequenceId };
  if (sequenceId <= cached.thresholdAsOf) return touched;
  if (revision !== cached.threshold.revision + 1) return undefined;
  return { ...touched, threshold: { revision, threshold }, thresholdAsOf: sequenceId };
};

/** The nodes that this process has read; the least recently read are evicted first. */
export interface ReadCache {
  readonly cached: (nodeId: string) => CachedNode | undefined;
  /** Reads the node, and caches the answer with the events that came meanwhile. Concurrent loads of a node are one. */
  readonly load: (nodeId: string) => Promise<E.Either<Outage, CachedNode>>;
  /** Applies an event of the stream. */
  readonly take: (nodeId: string, event: StreamEvent) => void;
  /** Applies the events that this process is about to acknowledge: later reads return nothing older. */
  readonly committed: (nodeId: string, receipt: GroupReceipt) => void;
  readonly evict: (nodeId: string) => void;
  readonly evictAll: () => void;
}

type AskNode = (nodeId: string) => Promise<E.Either<Outage, Snapshot>>;

/** A load in flight: the events that came since it began. A stale one answers its callers, and is not cached. */
interface Load {
  readonly events: StreamEvent[];
  /** The revision of the threshold when this process acknowledged something meanwhile. */
  revision?: number;
  isStale: boolean;
  answer: Promise<E.Either<Outage, CachedNode>>;
}

/** Longest time (ms) that an entry is cached: a terminated node publishes no event. */
const CACHED_MS = 300_000;

/** The events of `unconfirmed`; nothing where this process cannot read one, as of a later release. */
const all = (unconfirmed: ReadonlyArray<OutboxEvent>): ReadonlyArray<StreamEvent> | undefined => {
  const events = unconfirmed.map(({ type, data }) => eventOf(type, data));
  return events.every(E.isRight) ? events.map(({ right }) => right) : undefined;
};

const afterAll = (node: CachedNode, events: ReadonlyArray<StreamEvent>): CachedNode | undefined =>
  events.reduce<CachedNode | undefined>((before, event) => before && takeEvent(before, event), node);

/** A cache of at most so many nodes. */
export const createReadCache = (ask: AskNode, capacity: number): ReadCache => {
  const entries = new LRUCache<string, CachedNode>({ max: capacity, ttl: CACHED_MS, noUpdateTTL: true });
  const loads = new Map<string, Load>();

  const answerOf = async (nodeId: string, current: Load): Promise<E.Either<Outage, CachedNode>> => {
    const answer = await ask(nodeId);
    if (loads.get(nodeId) === current) loads.delete(nodeId);
    if (E.isLeft(answer)) return answer;
    const node = afterAll(cachedNodeOf(answer.right), current.events);
    // The node was started anew meanwhile, or lacks an event that is still on its way: its current state.
    if (node === undefined || node.threshold.revision !== (current.revision ?? node.threshold.revision))
      return E.map(cachedNodeOf)(await ask(nodeId));
    if (!current.isStale) entries.set(nodeId, node);
    return E.right(node);
  };
  const evict = (nodeId: string): void => {
    const current = loads.get(nodeId);
    if (current !== undefined) current.isStale = true;
    loads.delete(nodeId); // a read from now on loads anew
    entries.delete(nodeId);
  };
  const take = (nodeId: string, event: StreamEvent): void => {
    loads.get(nodeId)?.events.push(event);
    const node = entries.peek(nodeId);
    if (node === undefined) return;
    const after = takeEvent(node, event);
    if (after === undefined) entries.delete(nodeId);
    else entries.set(nodeId, after);
  };

  return {
    cached: (nodeId) => entries.get(nodeId),
    load: (nodeId) => {
      const inFlight = loads.get(nodeId);
      if (inFlight !== undefined) return inFlight.answer;
      const current: Load = {
        events: [],
        isStale: false,
        answer: Promise.resolve(E.left({ _tag: 'TimedOut' })),
      };
      loads.set(nodeId, current);
      current.answer = answerOf(nodeId, current);
      return current.answer;
    },
    take,
    committed: (nodeId, { outcomes, unconfirmed, isRepeat }) => {
      if (outcomes.every(({ _tag }) => _tag === 'Refused')) return;
      // Events of what was done before may be confirmed by another process, and on their way here.
      const isNew = isRepeat !== true && outcomes.every(({ _tag }) => _tag !== 'Unchanged');
      const events = isNew && unconfirmed !== undefined ? all(unconfirmed) : undefined;
      const revision = outcomes.findLast((one) => one._tag === 'Applied')?.revision;
      // The last status is whole, and the revision tells of each threshold: what else was confirmed may be on its way here.
      if (revision === undefined || events?.some(({ type }) => type === 'PointAlarmStatusEvent') !== true) {
        evict(nodeId);
        return;
      }
      for (const event of events) take(nodeId, event);
      const current = loads.get(nodeId);
      if (current !== undefined) current.revision = revision;
      if (entries.peek(nodeId)?.threshold.revision !== revision) entries.delete(nodeId);
    },
    evict,
    evictAll: () => {
      for (const current of loads.values()) current.isStale = true;
      loads.clear();
      entries.clear();
    },
  };
};

/** Longest delay (ms) of a cached value; beyond it the node is read. */
const MOST_BEHIND_MS = 1_000;

/**
 * `nodes` with reads from the cache while it is current; else, or where the caller wants that, from the node. `currentAsOf`: time
 * (ms of `performance.now()`) up to which the stream's events are applied.
 */
export const cachedReads = (
  nodes: PointAlarms,
  cache: ReadCache,
  currentAsOf: () => number,
  callDeadlineMs: number,
): PointAlarms => {
  const read =
    <A>(
      viewOf: (node: CachedNode) => A,
      ofNode: (nodeId: string, how?: ReadHow) => TE.TaskEither<Outage, ReadResult<A>>,
    ) =>
    (nodeId: string, { isFresh = false, by }: ReadHow = {}): TE.TaskEither<Outage, ReadResult<A>> =>
    async () => {
      const behind = performance.now() - currentAsOf();
      if (isFresh || behind > MOST_BEHIND_MS) return ofNode(nodeId, { by })();
      const cached = cache.cached(nodeId);
      if (cached !== undefined) return E.right({ value: viewOf(cached), age: behind / 1_000 });
      return pipe(
        beforeDeadline(callDeadlineMs, () => cache.load(nodeId)),
        TE.map((loaded) => ({ value: viewOf(loaded) })),
      )();
    };
  return {
    ...nodes,
    threshold: read(({ threshold }) => threshold, nodes.threshold),
    alarmStatus: read(({ alarmStatus }) => alarmStatus, nodes.alarmStatus),
  };
};

interface ReadCacheParts {
  /** A connection of its own: a read that waits blocks it. */
  readonly redis: { readonly client: StreamReader };
  readonly stream: string;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  readonly ask: AskNode;
  /** Capacity, in nodes. */
  readonly nodes: number;
  readonly callDeadlineMs: number;
  readonly log: Log;
}

export interface RunningReadCache {
  /** `send`, which reports to the cache what it acknowledges. */
  readonly reporting: (send: SendGroup) => SendGroup;
  /** `nodes` with cached reads. */
  readonly reading: (nodes: PointAlarms) => PointAlarms;
  readonly close: () => Promise<void>;
}

/** Follows the stream from now on, and answers reads from its events (docs/reliability.md). */
export const startReadCache = ({ ask, nodes, callDeadlineMs, ...source }: ReadCacheParts): RunningReadCache => {
  const cache = createReadCache(ask, nodes);
  const following = followEvents({ ...source, take: cache.take, missed: cache.evictAll });
  return {
    reporting: (send) => async (nodeId, commands, until) => {
      const sent = await send(nodeId, commands, until);
      if (E.isRight(sent.answer)) cache.committed(nodeId, sent.answer.right);
      else cache.evict(nodeId);
      return sent;
    },
    reading: (port) => cachedReads(port, cache, following.currentAsOf, callDeadlineMs),
    close: following.close,
  };
};
