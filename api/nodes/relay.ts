import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import { inParallel } from '../../process/in-parallel';
import type { Log } from '../../process/log';
import { reasonOf } from '../../process/reason-of';
import { createPublishIntents, type PublishIntent, type PublishIntents } from '../../stream/publish-intents';
import { createPublisher, measurePublisher, type Publisher, type StreamSettings } from '../../stream/append';
import { within } from '../../process/within';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import { KNOWN_NODES, type SendGroup } from './node-queue';
import { createSendGroup, type GroupSender } from './temporal/send-group';
import type { Outage } from '../ports';
import type { RedisLink } from '../../stream/link';
import { createPublishNow } from './temporal/calls';

/** Time between two passes, and the age from which an intent without an owner counts as orphaned (ms). */
const EVERY_MS = 2_000;
const ORPHANED_AFTER_MS = 10_000;
/** A group of unknown outcome may still be carried out: its node is asked again in every pass up to this age (ms). */
const KEPT_FOR_MS = 60_000;
/** Nodes asked concurrently, and the time (ms) for one that did not answer in the pass before: it must not hold up the others. */
const AT_ONCE = 8;
const AGAIN_MS = 250;

export interface RelayParts {
  readonly send: ReturnType<typeof createSendGroup>;
  /** Has a node publish its own outbox; never rejects, and returns whether the node confirmed it. */
  readonly publishNow: (nodeId: string, deadlineMs?: number) => Promise<boolean>;
  readonly publisher: Publisher;
  readonly intents: PublishIntents;
  readonly knownNodes?: number;
  readonly log: Log;
}

/** Time limit (ms) of an append; after it the node is asked to publish instead. */
const APPEND_MS = 700;

/**
 * Relays the outbox of a node to the stream: the answer to a group holds the events, so they need not wait for an activity, which
 * costs the server three writes more (docs/contributing/how-it-works.md, "Relay"). A publish intent is written before each group
 * is sent, and removed when its events are published; the intents of a process that died are swept by another. Without one the
 * node publishes by itself.
 */
export const createRelay = (parts: RelayParts) => {
  const { send, publishNow, publisher, intents, knownNodes = KNOWN_NODES, log } = parts;
  /** The newest published id per node: a miss costs one publication. */
  const published = new LRUCache<string, string>({ max: knownNodes });
  const stopSweep = startSweep(parts);
  const inFlight = new Set<Promise<void>>();

  const append = async (nodeId: string, events: ReadonlyArray<OutboxEvent>): Promise<boolean> => {
    if (events.length === 0) return true;
    try {
      const { newest, isOut } = await within(APPEND_MS, publisher.append({ nodeId, events }));
      if (!isOut) throw new Error('a newer one is in the stream, which may be of an earlier life of the node');
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
    // Without events the node publishes by itself; but not where nothing was applied: the group may repeat a lost one.
    const isOut =
      unconfirmed === undefined ? outcomes.some(({ _tag }) => _tag === 'Applied') : await append(nodeId, unconfirmed);
    if (isOut || (await publishNow(nodeId))) remove(intent);
    else intents.orphan(intent);
  };
  const tracked = (completed: Promise<void>): Promise<void> => {
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
    if (E.isRight(answer)) return { answer, completed: tracked(complete(intent, answer.right)) };
    if (mayHaveChanged(answer.left)) return { answer, completed: completed.finally(() => intents.orphan(intent)) };
    remove(intent);
    return { answer, completed };
  };
  return {
    sendGroup,
    /** Ends the sweep, and waits for the publications in flight. */
    close: (): Promise<unknown> => Promise.all([stopSweep(), ...inFlight]),
  };
};

const mayHaveChanged = (outage: Outage): boolean =>
  outage._tag === 'TimedOut' || (outage._tag === 'Unavailable' && outage.mayHaveChanged);

/** Refreshes this process's liveness key, and asks the nodes of orphaned intents to publish. What it returns stops it. */
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
      if (await publishNow(nodeId, silent.has(nodeId) ? AGAIN_MS : undefined)) confirmed.add(nodeId);
    };
    await inParallel(nodes, AT_ONCE, ask, () => !isClosed);
    silent = new Set(nodes.filter((nodeId) => !confirmed.has(nodeId)));
    await intents.remove(orphaned.filter(({ nodeId, ageMs }) => confirmed.has(nodeId) && ageMs > KEPT_FOR_MS));
  };
  let current: Promise<void> | undefined;
  /** One pass at a time: passes that came due while nodes were slow must not all begin once they answer. */
  const begin = (): void => {
    current ??= pass()
      .catch((error: unknown) => log.debug({ reason: reasonOf(error) }, 'intents could not be swept'))
      .finally(() => (current = undefined));
  };
  const refreshLiveness = (): void => void intents.stayAlive().catch(() => undefined);
  refreshLiveness();
  const timers = [setInterval(refreshLiveness, EVERY_MS), setInterval(begin, EVERY_MS)];
  return async () => {
    isClosed = true;
    timers.forEach(clearInterval);
    await current;
  };
};

export const startRelay = (sender: GroupSender, redis: RedisLink, events: StreamSettings, registry: Registry) => {
  const intents = createPublishIntents(redis, events.stream);
  const publishNow = createPublishNow(sender.workflowsUntil);
  const publisher = measurePublisher(createPublisher(redis, events), registry);
  return createRelay({ send: createSendGroup(sender), publishNow, publisher, intents, log: sender.log });
};
