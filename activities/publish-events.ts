import type { Batch } from '../stream/publisher';

export interface PublishActivities {
  /** Appends the events of `batch` that the stream lacks, and returns the id of the node's newest event there. */
  readonly publishEvents: (batch: Batch) => Promise<string>;
}
