import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import { inParallel } from '../../process/in-parallel';
import type { Log } from '../../process/log';
import { reasonOf } from '../../process/reason-of';
import { createPublishIntents, type PublishIntent, type PublishIntents } from '../../stream/publish-intents';
import { createPublisher, measurePublisher, type Publisher, type StreamSettings } from '../../stream/append';
import { withTimeout } from '../../process/timeout';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import { KNOWN_NODES, type SendGroup } from './node-queue';
import { createSendGroup, type GroupSender } from './temporal/send-group';
import type { Outage } from '../ports';
import type { RedisConnection } from '../../stream/redis-connection';
import { createPublishNow } from './temporal/retry';

/** Interval (ms) of the sweep, and the age (ms) from which a publish intent that no living process owns counts as orphaned. */
const EVERY_MS = 2_000;
const ORPHANED_AFTER_MS = 10_000;
/** A group of unknown outcome may still be carried out, so the sweep asks its node until the intent has this age (ms). */
const KEPT_FOR_MS = 60_000;
/** Nodes that the sweep asks at once; and the time limit (ms) of a node that was silent before, so that others do not wait. */
const AT_ONCE = 8;
const SILENT_NODE_MS = 250;

export interface RelayParts {
  readonly send: ReturnType<typeof createSendGroup>;
  /** Asks a node to publish its outbox itself. Never rejects; returns whether the node confirmed this. */
  readonly publishNow: (nodeId: string, deadlineMs?: number) => Promise<boolean>;
  readonly publisher: Publisher;
  readonly intents: PublishIntents;
  readonly knownNodes?: number;
  readonly log: Log;
}

/** Time limit (ms) of an append to the stream. After it, the node is asked to publish its events itself. */
const APPEND_MS = 700;

/**
 * The relay appends the events of nodes to the stream. The answer to a group holds the node's events, so the node needs no
 * activity to publish them, which would cost the Temporal server three more writes (docs/contributing/how-it-works.md,
 * "Relay"). Before a group is sent, the relay writes a publish intent to Redis: a record that this process is going to publish
 * the group's events. When they are published, it removes the intent. If the process dies, other processes find its intents
 * (the sweep). If no intent can be written, the node publishes by itself.
 */
export const createRelay = (parts: RelayParts) => {
  const { send, publishNow, publisher, intents, knownNodes = KNOWN_NODES, log } = parts;
  /** For each node, the id of its newest event in the stream. On a miss, the node's next answer repeats published events. */
  const published = new LRUCache<string, string>({ max: knownNodes });
  const stopSweep = startSweep(parts);
  const inFlight = new Set<Promise<void>>();

  const append = async (nodeId: string, events: ReadonlyArray<OutboxEvent>): Promise<boolean> => {
    if (events.length === 0) return true;
    try {
      const { newest, isPublished } = await withTimeout(APPEND_MS, publisher.append({ nodeId, events }));
      if (!isPublished) throw new Error('a newer one is in the stream, which may be of an earlier life of the node');
      published.set(nodeId, newest);
      return true;
    } catch (error) {
      log.warn({ nodeId, reason: reasonOf(error) }, 'events could not be relayed: their node publishes them');
      return false;
    }
  };
  const remove = (intent: PublishIntent): void => void intents.remove([intent]).catch(() => undefined);
  const complete = async (intent: PublishIntent, { unconfirmed, outcomes }: GroupReceipt): Promise<void> => {
    const { nodeId } = intent;
    // A node that returns no events publishes by itself if it applied commands. If it applied none, the group may repeat an
    // earlier one whose answer was lost and whose events still wait: ask the node to publish them.
    const isPublished =
      unconfirmed === undefined ? outcomes.some(({ _tag }) => _tag === 'Applied') : await append(nodeId, unconfirmed);
    if (isPublished || (await publishNow(nodeId))) remove(intent);
    else intents.orphan(intent);
  };
  const trackInFlight = (completed: Promise<void>): Promise<void> => {
    const tracking = completed.finally(() => inFlight.delete(tracking));
    inFlight.add(tracking);
    return tracking;
  };

  const sendGroup: SendGroup = async (nodeId, commands, until, slot) => {
    const intent = await intents.write(nodeId).catch(() => undefined);
    if (intent === undefined) return send(nodeId, { commands }, until, slot);
    const newest = published.get(nodeId);
    const payload = { commands, relay: 'api' as const, ...(newest !== undefined && { published: newest }) };
    const { answer, completed } = await send(nodeId, payload, until, slot);
    if (E.isRight(answer)) return { answer, completed: trackInFlight(complete(intent, answer.right)) };
    if (mayHaveChanged(answer.left)) return { answer, completed: completed.finally(() => intents.orphan(intent)) };
    remove(intent);
    return { answer, completed };
  };
  return {
    sendGroup,
    /** Ends the sweep, and waits until the events of answered groups are published or left to their nodes. */
    close: (): Promise<unknown> => Promise.all([stopSweep(), ...inFlight]),
  };
};

const mayHaveChanged = (outage: Outage): boolean =>
  outage._tag === 'TimedOut' || (outage._tag === 'Unavailable' && outage.mayHaveChanged);

/** Refreshes this process's liveness key, and has nodes of orphaned intents publish, until the returned function is called. */
const startSweep = ({ intents, publishNow, log }: RelayParts): (() => Promise<void>) => {
  let isClosed = false;
  let silent: ReadonlySet<string> = new Set(); // nodes that did not answer in the last pass
  const pass = async (): Promise<void> => {
    const orphaned = await intents.orphaned(ORPHANED_AFTER_MS);
    if (orphaned.length === 0) return;
    const nodes = [...new Set(orphaned.map(({ nodeId }) => nodeId))];
    log.info({ nodes: nodes.length }, 'orphaned intents: their nodes publish');
    const confirmed = new Set<string>();
    const ask = async (nodeId: string): Promise<void> => {
      if (await publishNow(nodeId, silent.has(nodeId) ? SILENT_NODE_MS : undefined)) confirmed.add(nodeId);
    };
    await inParallel(nodes, AT_ONCE, ask, () => !isClosed);
    silent = new Set(nodes.filter((nodeId) => !confirmed.has(nodeId)));
    await intents.remove(orphaned.filter(({ nodeId, ageMs }) => confirmed.has(nodeId) && ageMs > KEPT_FOR_MS));
  };
  let current: Promise<void> | undefined;
  /** Begins a pass, unless one is in progress: passes must not pile up while nodes are slow. */
  const beginPass = (): void => {
    current ??= pass()
      .catch((error: unknown) => log.debug({ reason: reasonOf(error) }, 'intents could not be swept'))
      .finally(() => (current = undefined));
  };
  const refreshLiveness = (): void => void intents.refreshLiveness().catch(() => undefined);
  refreshLiveness();
  const timers = [setInterval(refreshLiveness, EVERY_MS), setInterval(beginPass, EVERY_MS)];
  return async () => {
    isClosed = true;
    timers.forEach(clearInterval);
    await current;
  };
};

export const startRelay = (sender: GroupSender, redis: RedisConnection, events: StreamSettings, registry: Registry) => {
  const intents = createPublishIntents(redis, events.stream);
  const publishNow = createPublishNow(sender.workflowsUntil);
  const publisher = measurePublisher(createPublisher(redis, events), registry);
  return createRelay({ send: createSendGroup(sender), publishNow, publisher, intents, log: sender.log });
};
