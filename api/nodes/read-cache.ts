import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import type { RevisedThreshold, Snapshot } from '../../workflows/domain/node/state';
import { alarmStatusIn, eventOf, type StreamEvent } from '../../workflows/domain/node/events';
import type { Caller, Outage, PointAlarms, Read } from '../ports';
import type { AlarmStatusView } from '../../workflows/domain/alarm/alarm-status';
import type { SendGroup } from './node-queue';
import { followEvents } from '../../stream/follow-events';

/** The answers to the GETs of a node, each with the id of the newest event that it includes. */
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
 * `cached` with `event` applied. Undefined if the event does not follow from the cached state: then the node must be read. Each
 * event holds a whole status or a whole threshold, so a status may be applied before an earlier threshold.
 */
export const applyEvent = (cached: CachedNode, event: StreamEvent): CachedNode | undefined => {
  if (event.type === 'PointAlarmStatusEvent') {
    if (event.sequenceId <= cached.alarmStatusAsOf) return cached;
    return { ...cached, alarmStatus: alarmStatusIn(event), alarmStatusAsOf: event.sequenceId };
  }
  const { sequenceId, updatedAt, revision, threshold } = event;
  const touched =
    sequenceId <= cached.alarmStatusAsOf
      ? cached
      : { ...cached, alarmStatus: { ...cached.alarmStatus, updatedAt }, alarmStatusAsOf: sequenceId };
  if (sequenceId <= cached.thresholdAsOf) return touched;
  // If this is not the next revision, an event is missing, or the node was terminated and started anew.
  if (revision !== cached.threshold.revision + 1) return undefined;
  return { ...touched, threshold: { revision, threshold }, thresholdAsOf: sequenceId };
};

/** Reads the node itself on behalf of a caller. Callers that wait at the same time share a read. */
type AskNode = (nodeId: string, by?: Caller) => Promise<E.Either<Outage, Snapshot>>;

/**
 * A load: the reads in flight that are to fill a node's cache entry, and the events since the first of them began. If the load
 * is evicted meanwhile, its result is not cached.
 */
interface Load {
  readonly events: StreamEvent[];
  /** The threshold's revision after the last command that this process acknowledged during the load. */
  revision?: number;
  callers: number;
}

/** A node in the cache. An event changes `node` in its entry, because setting the entry would count as use for eviction. */
interface Entry {
  node: CachedNode;
}

/** Longest time (ms) that a node stays in the cache, because no event shows that a node was terminated. */
const CACHED_MS = 300_000;

const isStatus = ({ type }: StreamEvent): boolean => type === 'PointAlarmStatusEvent';
const eventsIn = E.traverseArray(({ type, data }: OutboxEvent) => eventOf(type, data));

const applyEvents = (node: CachedNode, events: ReadonlyArray<StreamEvent>): CachedNode | undefined =>
  events.reduce<CachedNode | undefined>((before, event) => before && applyEvent(before, event), node);

export type ReadCache = ReturnType<typeof createReadCache>;

/** Caches the nodes that this process has read, at most `capacity`. The least recently read node is evicted first. */
export const createReadCache = (ask: AskNode, capacity: number) => {
  const entries = new LRUCache<string, Entry>({ max: capacity, ttl: CACHED_MS });
  const loads = new Map<string, Load>();

  const load = async (nodeId: string, by?: Caller): Promise<E.Either<Outage, CachedNode>> => {
    const current = loads.get(nodeId) ?? { events: [], callers: 0 };
    loads.set(nodeId, current);
    current.callers += 1;
    const answer = await ask(nodeId, by);
    current.callers -= 1;
    const isEvicted = loads.get(nodeId) !== current;
    if (!isEvicted && current.callers === 0) loads.delete(nodeId);
    if (E.isLeft(answer)) return answer;
    const node = applyEvents(cachedNodeOf(answer.right), current.events);
    // The node was started anew during the read, or one of its events has not arrived here yet: read its current state.
    if (node === undefined || node.threshold.revision !== (current.revision ?? node.threshold.revision))
      return E.map(cachedNodeOf)(await ask(nodeId, by));
    if (!isEvicted) entries.set(nodeId, { node });
    return E.right(node);
  };
  const evict = (nodeId: string): void => {
    loads.delete(nodeId); // so that a later read begins a new load
    entries.delete(nodeId);
  };
  const applyToEntry = (nodeId: string, event: StreamEvent): void => {
    loads.get(nodeId)?.events.push(event);
    const entry = entries.peek(nodeId);
    if (entry === undefined) return;
    const after = applyEvent(entry.node, event);
    if (after === undefined) entries.delete(nodeId);
    else entry.node = after;
  };

  return {
    cached: (nodeId: string): CachedNode | undefined => entries.get(nodeId)?.node,
    /** Reads the node, and caches the answer with the events that came during the read. */
    load,
    applyEvent: applyToEntry,
    /** Applies the events of a group that this process is about to acknowledge, so that later reads return nothing older. */
    applyReceipt: (nodeId: string, { outcomes, unconfirmed, isRepeat }: GroupReceipt): void => {
      if (outcomes.every(({ _tag }) => _tag === 'Refused')) return;
      // The receipt of a repeat or of an unchanged command may lack events, because another process may have confirmed them.
      const isNew = isRepeat !== true && outcomes.every(({ _tag }) => _tag !== 'Unchanged');
      const events = eventsIn(isNew ? (unconfirmed ?? []) : []); // a Left if this version of the service cannot read one
      const revision = outcomes.findLast((one) => one._tag === 'Applied')?.revision;
      // Evict if events may be missing. A status event makes up for missed ones, and the revision shows a missed threshold.
      if (revision === undefined || E.isLeft(events) || !events.right.some(isStatus)) {
        evict(nodeId);
        return;
      }
      for (const event of events.right) applyToEntry(nodeId, event);
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

/** Longest delay (ms) of the cache behind the stream. If the delay is longer, the node itself is read. */
const MOST_BEHIND_MS = 1_000;

/** `nodes` with cached reads while the cache is current. `currentAsOf`: until when it was current (`performance.now()`). */
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

type EventSource = Omit<Parameters<typeof followEvents>[0], 'onEvent' | 'onMissed'>;

/** Follows the stream from now on to keep a read cache up to date (docs/contributing/how-it-works.md, "Read cache"). */
export const startReadCache = (ask: AskNode, capacity: number, source: EventSource) => {
  const cache = createReadCache(ask, capacity);
  const following = followEvents({ ...source, onEvent: cache.applyEvent, onMissed: cache.evictAll });
  return {
    /** `send`, but before it returns, the cache applies the events of the node's answer, or evicts the node if it gave none. */
    reporting:
      (send: SendGroup): SendGroup =>
      async (nodeId, commands, until, slot) => {
        const sent = await send(nodeId, commands, until, slot);
        if (E.isRight(sent.answer)) cache.applyReceipt(nodeId, sent.answer.right);
        else cache.evict(nodeId);
        return sent;
      },
    reading: (port: PointAlarms) => cachedReads(port, cache, following.currentAsOf),
    close: following.close,
  };
};
