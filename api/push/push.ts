import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { Publisher } from '../../activities/publisher';
import type { Log } from '../../process/log';
import { within } from '../../process/within';
import type { GroupReceipt } from '../../workflows/domain/node/hand-over';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import type { SendGroup, SentGroup } from '../adapters/temporal/lane';
import type { GroupPayload } from '../adapters/temporal/send-group';
import type { Outage } from '../ports';
import type { Note, Notes } from './notes';

/** How groups go to nodes when the API publishes what they commit. */
export interface Push {
  readonly sendGroup: SendGroup;
  /** Ends when nothing is on its way to the stream. */
  readonly drained: () => Promise<void>;
}

export interface PushParts {
  readonly send: (nodeId: string, payload: GroupPayload, until: number) => Promise<SentGroup>;
  /** Has a node publish by itself what waits there; it never rejects, and tells whether that was said. */
  readonly publishNow: (nodeId: string) => Promise<boolean>;
  readonly publisher: Publisher;
  readonly notes: Notes;
  readonly log: Log;
}

/** So long Redis may take to append before the node is asked to publish instead (ms). */
const PATIENCE_MS = 700;
/** Nodes of which it is remembered how far the stream has their events: what is forgotten costs one publication. */
const REMEMBERED_NODES = 100_000;

/**
 * Publishes what a group committed: the answer holds the events, so they need not wait for an activity, which costs the
 * server three writes more. The node keeps them until a later command, or its own activity, says that they are in the stream.
 *
 * A note in Redis stands before each group is sent, and goes when its events are out: whoever dies between leaves a note,
 * and its node is asked to publish (`sweep`). Where no note can be written the node publishes by itself. A push holds all
 * unconfirmed events of its node, oldest first, so no gap can come; the script appends what is newer (docs/reliability.md, "Push").
 */
export const createPush = ({ send, publishNow, publisher, notes, log }: PushParts): Push => {
  const inStream = new LRUCache<string, string>({ max: REMEMBERED_NODES });

  const underWay = new Set<Promise<void>>();

  const append = async (nodeId: string, events: ReadonlyArray<OutboxEvent>): Promise<boolean> => {
    const last = events.at(-1);
    if (last === undefined) return true;
    try {
      await within(PATIENCE_MS, publisher.append({ nodeId, events }));
      inStream.set(nodeId, last.sequenceId);
      return true;
    } catch (error) {
      log.warn({ nodeId, reason: String(error) }, 'events could not be pushed: their node publishes them');
      return false;
    }
  };
  const remove = (note: Note): void => {
    notes.remove([note]).catch(() => undefined);
  };
  const settle = async (note: Note, { unconfirmed, outcomes }: GroupReceipt): Promise<void> => {
    const { nodeId } = note;
    // Without events the node publishes by itself; but not where nothing was done: the group may be a repeat of a lost one.
    const isOut =
      unconfirmed === undefined ? outcomes.some(({ _tag }) => _tag === 'Applied') : await append(nodeId, unconfirmed);
    if (isOut || (await publishNow(nodeId))) remove(note);
    else notes.forsake(note);
  };
  const tracked = (settled: Promise<void>): Promise<void> => {
    const tracking = settled.finally(() => underWay.delete(tracking));
    underWay.add(tracking);
    return tracking;
  };

  return {
    sendGroup: async (nodeId, commands, until) => {
      const note = await notes.write(nodeId).catch(() => undefined);
      if (note === undefined) return send(nodeId, { commands }, until);
      const known = inStream.get(nodeId);
      const payload: GroupPayload = {
        commands,
        publishBy: 'caller',
        ...(known !== undefined && { inStream: known }),
      };
      const { answer, settled } = await send(nodeId, payload, until);
      if (E.isRight(answer)) return { answer, settled: tracked(settle(note, answer.right)) };
      if (mayHaveChanged(answer.left)) return { answer, settled: settled.finally(() => notes.forsake(note)) };
      remove(note);
      return { answer, settled };
    },
    drained: async () => {
      await Promise.all(underWay);
    },
  };
};

const mayHaveChanged = (outage: Outage): boolean =>
  outage._tag === 'TimedOut' || (outage._tag === 'Unavailable' && outage.mayHaveChanged);
