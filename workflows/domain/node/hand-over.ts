import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { isRecord } from '../codecs';
import { HANDED_OVER_BYTES, HANDED_OVER_EVENTS } from '../limits';
import type { Refusal } from '../rejections';
import type { Entropy } from '../ulid';
import { applyCommands, groupOf, type GroupAnswer } from './apply-commands';
import type { Accepted, Node } from './node';
import { dequeue, type OutboxEvent } from './outbox';

/** The answer to a group whose events the caller publishes: it holds all that is unconfirmed, oldest first. */
export interface GroupReceipt extends GroupAnswer {
  readonly unconfirmed?: ReadonlyArray<OutboxEvent>;
}

/** What a group made of a node. */
export interface AppliedGroup extends Accepted {
  readonly answer: GroupReceipt;
}

/**
 * Takes the group `payload`, `{commands, publishBy?: 'caller', inStream?}`.
 *
 * A caller that publishes by itself gets the events with the answer, and names by `inStream` the last event of this node
 * that it saw in the stream: that one and all before it are no longer kept. A node that has too many unconfirmed ones
 * publishes by itself, and so hands nothing over (docs/reliability.md, "Push").
 */
export const applyGroup = (
  node: Node,
  payload: unknown,
  now: number,
  draw: () => Entropy,
): E.Either<Refusal, AppliedGroup> =>
  pipe(
    groupOf(payload),
    E.map((commands) => {
      const confirmed = confirm(node, payload);
      const applied = applyCommands(confirmed, commands, now, draw);
      return isForCaller(payload) && isShort(confirmed)
        ? { ...applied, answer: { ...applied.answer, unconfirmed: applied.node.outbox.waiting } }
        : applied;
    }),
  );

const isForCaller = (payload: unknown): boolean => isRecord(payload) && payload['publishBy'] === 'caller';

const confirm = (node: Node, payload: unknown): Node =>
  isRecord(payload) && isGivenBy(node, payload['inStream'])
    ? { ...node, outbox: dequeue(node.outbox, payload['inStream']) }
    : node;

/** An id that this node never gave confirms nothing. */
const isGivenBy = ({ state }: Node, id: unknown): id is string =>
  typeof id === 'string' && id !== '' && id <= state.sequenceId;

const isShort = ({ outbox: { waiting, bytes } }: Node): boolean =>
  waiting.length < HANDED_OVER_EVENTS && bytes < HANDED_OVER_BYTES;
