import * as E from 'fp-ts/Either';
import { applyCommand } from '../../../workflows/domain/node/apply-commands';
import { newNode, type Node } from '../../../workflows/domain/node/node';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { alarmStatusView, revisedThreshold } from '../../../workflows/domain/node/views';
import type { Answer, Asked, Entry, History, JsonObject, Write } from '../../chaos/history';
import { commandOf } from '../../chaos/command-of';
import { anId, nodeId, START } from '../../support/scenario';

/** A write of a recorded history; `commits` false: the node lost it again, and whoever asks for it is not told that it is done. */
export interface Step {
  readonly asked: Asked;
  readonly answer?: Answer;
  readonly commits?: boolean;
}

/** The events of one write, and whether they were committed. */
interface Batch {
  readonly committed: boolean;
  readonly events: ReadonlyArray<OutboxEvent>;
}

/** What a publisher makes of the batches that a node brings forth, in order. */
export type Publishes = (batches: ReadonlyArray<Batch>) => ReadonlyArray<OutboxEvent>;

/** Publishes what was committed: all of it, once, in order. */
export const faithfully: Publishes = (batches) =>
  batches.filter(({ committed }) => committed).flatMap(({ events }) => events);

export const userOf = (index: number): string => anId(1_000 + index);

/** What comes of `writes` to one real node, one after the other, when its events are published like that. */
export const sampleHistory = (writes: ReadonlyArray<Step>, publishes: Publishes = faithfully): History => {
  let node: Node = newNode(nodeId);
  const batches = writes.map(({ asked, commits = true }, index): Batch => {
    const { name, ...payload } = commandOf(asked);
    const given = { ...payload, userId: userOf(index) };
    const accepted = applyCommand(node, name, given, START + index * 1_000);
    if (E.isLeft(accepted)) throw new Error(`refused: ${JSON.stringify(accepted.left)}`);
    const events = accepted.right.node.outbox.waiting.slice(node.outbox.waiting.length);
    if (commits) node = accepted.right.node;
    return { committed: commits, events };
  });
  const final = {
    nodeId,
    alarmStatus: plain(alarmStatusView(node.state)),
    threshold: plain(revisedThreshold(node.state).threshold),
  };
  return { writes: writes.map(writeOf), entries: publishes(batches).map(entryOf), finals: [final] };
};

const writeOf = ({ asked, answer = 'acknowledged' }: Step, index: number): Write => ({
  id: userOf(index),
  nodeId,
  asked,
  sentAt: index * 10,
  answeredAt: answer === 'unknown' ? Infinity : index * 10 + 5,
  answer,
});

export const entryOf = ({ type, sequenceId, timestamp, userId, data }: OutboxEvent): Entry => ({
  'Vendor.Hierarchy.EventType': type,
  'Vendor.Hierarchy.Aggregate': nodeId,
  aggregateId: nodeId,
  sequenceId,
  timestamp: String(timestamp),
  type,
  data: JSON.stringify(data),
  userId,
});

const plain = (view: object): JsonObject => JSON.parse(JSON.stringify(view)) as JsonObject;
