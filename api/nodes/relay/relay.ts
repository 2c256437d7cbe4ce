import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { Publisher } from '../../../stream/publisher';
import type { Log } from '../../../process/log';
import { within } from '../../../process/within';
import { reasonOf } from '../../../process/reason-of';
import type { GroupReceipt } from '../../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import type { SendGroup, SentGroup } from '../node-queue';
import type { GroupPayload } from '../temporal/send-group';
import type { Outage } from '../../ports';
import type { PublishIntent, PublishIntents } from '../../../stream/publish-intents';

/** Sends groups to nodes, and publishes what they commit. */
export interface Relay {
  readonly sendGroup: SendGroup;
  /** Resolves when no publication is in flight. */
  readonly drained: () => Promise<void>;
}

export interface RelayParts {
  readonly send: (nodeId: string, payload: GroupPayload, until: number) => Promise<SentGroup>;
  /** Has a node publish its own outbox; never rejects, and returns whether the node confirmed it. */
  readonly publishNow: (nodeId: string) => Promise<boolean>;
  readonly publisher: Publisher;
  readonly intents: PublishIntents;
  readonly log: Log;
}

/** Time limit (ms) of an append; after it the node is asked to publish instead. */
const APPEND_MS = 700;
/** Capacity of the cache of newest published ids per node: a miss costs one publication. */
const CACHED_NODES = 100_000;

/**
 * Relays the outbox of a node to the stream: the answer to a group holds the events, so they need not wait for an activity,
 * which costs the server three writes more. The node keeps them until a later command, or its own activity, confirms the publication.
 *
 * A publish intent in Redis is written before each group is sent, and removed when its events are published. A process that
 * dies between leaves an orphaned intent, and its node is asked to publish (`sweep`). Where no intent can be written the node
 * publishes by itself. A publication holds all unconfirmed events of its node, oldest first, so there is no gap; the script
 * appends what is newer (docs/reliability.md).
 */
export const createRelay = ({ send, publishNow, publisher, intents, log }: RelayParts): Relay => {
  const published = new LRUCache<string, string>({ max: CACHED_NODES });

  const inFlight = new Set<Promise<void>>();

  const append = async (nodeId: string, events: ReadonlyArray<OutboxEvent>): Promise<boolean> => {
    if (events.length === 0) return true;
    try {
      const { newest } = await within(APPEND_MS, publisher.append({ nodeId, events }));
      published.set(nodeId, newest);
      return true;
    } catch (error) {
      log.warn({ nodeId, reason: reasonOf(error) }, 'events could not be relayed: their node publishes them');
      return false;
    }
  };
  const remove = (intent: PublishIntent): void => {
    intents.remove([intent]).catch(() => undefined);
  };
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

  return {
    sendGroup: async (nodeId, commands, until) => {
      const intent = await intents.write(nodeId).catch(() => undefined);
      if (intent === undefined) return send(nodeId, { commands }, until);
      const newest = published.get(nodeId);
      const payload: GroupPayload = {
        commands,
        relay: 'api',
        ...(newest !== undefined && { published: newest }),
      };
      const { answer, completed } = await send(nodeId, payload, until);
      if (E.isRight(answer)) return { answer, completed: tracked(complete(intent, answer.right)) };
      if (mayHaveChanged(answer.left)) return { answer, completed: completed.finally(() => intents.orphan(intent)) };
      remove(intent);
      return { answer, completed };
    },
    drained: async () => {
      await Promise.all(inFlight);
    },
  };
};

const mayHaveChanged = (outage: Outage): boolean =>
  outage._tag === 'TimedOut' || (outage._tag === 'Unavailable' && outage.mayHaveChanged);
