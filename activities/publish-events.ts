import type { OutboxEvent } from '../workflows/domain/node/outbox';

/** Events of one node, oldest first. */
export interface Batch {
  readonly nodeId: string;
  readonly events: ReadonlyArray<OutboxEvent>;
}

export interface PublishActivities {
  /** Puts `batch` into the stream, what is there already left out, and answers the id of its last event. */
  readonly publishEvents: (batch: Batch) => Promise<string>;
}
