import { fractionOf } from '../digest';
import { nextUlid } from '../ulid';
import type { OutboxEvent } from './outbox';

/** The id of a node's event after the one of the id `previous`, empty before the first: the same whenever the decision is made again. */
export const eventIdAfter = (nodeId: string, previous: string, timestamp: number): string =>
  nextUlid(previous, timestamp, [fractionOf(`${nodeId}/${previous}`), fractionOf(`${previous}/${nodeId}`)]);

/** Whether an event is the first of its node since the node was set up. */
export const isFirstOfLife = (nodeId: string, { sequenceId, timestamp }: OutboxEvent): boolean =>
  sequenceId === eventIdAfter(nodeId, '', timestamp);
