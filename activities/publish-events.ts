import type { Batch } from '../stream/publisher';

export interface PublishActivities {
  /** Puts `batch` into the stream, what is there already left out, and answers the id of the node's newest event there. */
  readonly publishEvents: (batch: Batch) => Promise<string>;
}
