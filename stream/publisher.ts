import type { OutboxEvent } from '../workflows/domain/node/outbox';

/** Events of one node, oldest first. */
export interface Batch {
  readonly nodeId: string;
  readonly events: ReadonlyArray<OutboxEvent>;
}

/** What the stream has after a publication. */
export interface Appended {
  /** The id of the node's newest event in the stream: the batch's last, or a later one that another publisher appended. */
  readonly newest: string;
  /** How many events this publication appended: the last ones of its batch. The others were in the stream before. */
  readonly added: number;
}

/** Where events go. Adapter: a Redis stream. */
export interface Publisher {
  /**
   * Appends the events of `batch` that are newer than the newest one of its node, in order and all together. A repeat does
   * no harm. Rejects when the stream is not known to have all of `batch`; it may have them all the same.
   */
  readonly append: (batch: Batch) => Promise<Appended>;
}
