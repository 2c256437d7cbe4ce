import { fractionOf } from '../digest';
import { nextUlid } from '../ulid';
import type { OutboxEvent } from './outbox';

/** The id of the event after `previous` (empty before the first). It is not random, because validator and replay must agree. */
export const eventIdAfter = (nodeId: string, previous: string, timestamp: number): string =>
  nextUlid(previous, timestamp, [fractionOf(`${nodeId}/${previous}`), fractionOf(`${previous}/${nodeId}`)]);

/** Whether an event is the first of its node. A node that was terminated and set up anew begins again. */
export const isFirstOfLife = (nodeId: string, { sequenceId, timestamp }: OutboxEvent): boolean =>
  sequenceId === eventIdAfter(nodeId, '', timestamp);
